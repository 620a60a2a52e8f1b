import type { parseArgs } from 'node:util'
import { projections } from '#packages/events/views/projections.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { isDay } from '#packages/foundation/validation/instant.ts'
import type { Place } from '#packages/history/questions/read-history.ts'
import { UsageError } from '../organizations/run-command.ts'

/**
 * The places from which a command reads the history, and its outputs: answers by `print`, everything else by `tell`.
 */
export type CommandContext = { config: Config; dataDir: string; archive: string | undefined; print: Print; tell: Print }

/** A parsed command line. Instants are milliseconds since 1970. */
export type HistoryCommand = { json: boolean } & (
  | { type: 'show'; id: string; follow: boolean }
  | { type: 'why'; jobId: string }
  | { type: 'as-of'; instant: number; what: Subject; id: string }
  | ({ type: 'replay'; file: string; prefixes: readonly string[] | undefined } & Range)
  | ({ type: 'diff'; rules: ComparedRules; file: string } & Range)
  | { type: 'forget'; id: string; yes: boolean }
  | { type: 'export'; directory: string | undefined; from: Place | undefined; withContent: boolean; follow: boolean }
  | { type: 'verify'; from: Place | undefined }
  /** Without SQL it answers questions one after another, interactively or from a pipe. */
  | { type: 'sql'; sql: string | undefined; format: AnswerFormat }
  | { type: 'report'; file: string }
  | { type: 'tables'; to: string; follow: boolean }
  | { type: 'accept-end' }
  | { type: 'vacuum' }
  | { type: 'backup'; folder: string }
  | { type: 'restore'; folder: string; replace: boolean }
)

export type CommandOf<Type extends HistoryCommand['type']> = HistoryCommand & { type: Type }

type Range = { from: Place | undefined; to: Place | undefined }

const subjects = ['balance', 'job', 'key'] as const
export type Subject = (typeof subjects)[number]

const deciders = ['job', 'credits', 'key', 'organization', 'webhook', 'delivery', 'watch'] as const
export type DeciderName = (typeof deciders)[number]

/** A decider or a projection of the code, by name. */
export type ComparedRules = { decider: DeciderName } | { projection: string }

/** The output format of an answer to SQL. */
export type AnswerFormat = 'table' | 'csv' | 'json'

/** Prints one line of an answer. */
export type Print = (line: string) => void

/** The default file of a report. */
const REPORT = 'report.html'

export const historyOptions = {
  json: { type: 'boolean', default: false },
  sandbox: { type: 'boolean', default: false },
  follow: { type: 'boolean' },
  yes: { type: 'boolean' },
  projection: { type: 'string' },
  decider: { type: 'string' },
  with: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  prefix: { type: 'string', multiple: true },
  archive: { type: 'string' },
  csv: { type: 'boolean' },
  'with-content': { type: 'boolean' },
  replace: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof historyOptions }>>['values']

type Shape = { words: readonly string[]; isOptional?: true; options: readonly (keyof Values)[] }

/** The options of a command, without --json and --sandbox, and its number of words. */
const shapes: Record<HistoryCommand['type'], Shape> = {
  show: { words: ['the id of a job or an organization'], options: ['follow', 'archive'] },
  why: { words: ['the id of a job'], options: ['archive'] },
  'as-of': { words: ['a time', subjects.join(' or '), 'an id'], options: ['archive'] },
  replay: { words: [], options: ['projection', 'from', 'to', 'prefix', 'archive'] },
  diff: { words: [], options: ['decider', 'projection', 'with', 'from', 'to', 'archive'] },
  export: { words: [], options: ['to', 'from', 'with-content', 'follow'] },
  forget: { words: ['the id of a job or an organization'], options: ['yes', 'archive'] },
  verify: { words: [], options: ['from', 'archive'] },
  sql: { words: ['a question in SQL'], isOptional: true, options: ['csv', 'archive'] },
  report: { words: [], options: ['to', 'archive'] },
  tables: { words: [], options: ['to', 'follow', 'archive'] },
  'accept-end': { words: [], options: [] },
  vacuum: { words: [], options: [] },
  backup: { words: [], options: ['to'] },
  restore: { words: [], options: ['from', 'replace'] },
}

/** @throws UsageError with what is wrong */
export function parseHistoryCommand(given: { positionals: readonly string[]; values: Values }): HistoryCommand {
  const [type = '', ...words] = given.positionals
  if (!isCommand(type)) throw new UsageError(type === '' ? 'a command is missing' : `there is no command ${type}`)
  assertShape(type, words, given.values)
  const { values } = given
  const { json } = values
  const [first = '', second = '', third = ''] = words
  switch (type) {
    case 'show':
      return { type, id: first, follow: values.follow ?? false, json }
    case 'why':
      return { type, jobId: first, json }
    case 'as-of':
      return { type, instant: instantOf(first), what: oneOf(subjects, second, 'as-of tells of'), id: third, json }
    case 'replay':
      return {
        type,
        file: pathOf(values.projection, '--projection', 'a file'),
        prefixes: values.prefix,
        ...rangeOf(values),
        json,
      }
    case 'diff':
      return { type, rules: rulesOf(values), file: pathOf(values.with, '--with', 'a file'), ...rangeOf(values), json }
    case 'verify':
      return { type, from: placeOf(values.from), json }
    case 'export': {
      const { follow = false, 'with-content': withContent = false } = values
      return { type, directory: values.to, from: placeOf(values.from), withContent, follow, json }
    }
    case 'forget':
      return { type, id: first, yes: values.yes ?? false, json }
    case 'backup':
      return { type, folder: pathOf(values.to, '--to', 'a folder'), json }
    case 'restore':
      return {
        ...{ type, folder: pathOf(values.from, '--from', 'the folder of a backup') },
        ...{ replace: values.replace ?? false, json },
      }
    case 'sql':
      return { type, sql: words[0], format: formatOf(values), json }
    case 'report':
      return { type, file: values.to ?? REPORT, json }
    case 'tables': {
      const to = pathOf(values.to, '--to', 'a folder, or a file FILE.duckdb')
      const { follow = false } = values
      // DuckDB locks a file while a process writes it.
      if (follow && to.endsWith('.duckdb'))
        throw new UsageError('--follow needs a folder: a database file cannot be read while it is written')
      return { type, to, follow, json }
    }
    default:
      return { type, json }
  }
}

const isCommand = (word: string): word is HistoryCommand['type'] => Object.hasOwn(shapes, word)

function assertShape(type: HistoryCommand['type'], words: readonly string[], values: Values): void {
  const shape = shapes[type]
  const missing = shape.words[words.length]
  if (missing !== undefined && !shape.isOptional) throw new UsageError(`${type} needs ${missing}`)
  if (words.length > shape.words.length)
    throw new UsageError(`unexpected: ${words.slice(shape.words.length).join(' ')}`)
  const known: readonly string[] = [...shape.options, 'json', 'sandbox']
  const other = Object.keys(values).find((name) => !known.includes(name))
  if (other !== undefined) throw new UsageError(`${type} takes no --${other}`)
  // An unset variable gives an empty value. As a path it would be the working directory.
  const empty = Object.entries(values).find(([, value]) => value === '')
  if (empty !== undefined) throw new UsageError(`--${empty[0]} is empty`)
}

function oneOf<Word extends string>(allowed: readonly Word[], word: string | undefined, name: string): Word {
  const found = allowed.find((each) => each === word)
  if (found === undefined) throw new UsageError(`${name} one of ${allowed.join(', ')}`)
  return found
}

function pathOf(word: string | undefined, option: string, what: string): string {
  if (word === undefined || word === '') throw new UsageError(`${option} needs ${what}`)
  return word
}

function formatOf({ csv = false, json }: Values): AnswerFormat {
  if (csv && json) throw new UsageError('sql takes --csv or --json')
  return csv ? 'csv' : json ? 'json' : 'table'
}

function rangeOf(values: Values): Range {
  const [from, to] = [placeOf(values.from), placeOf(values.to)]
  if (isAfter(from, to)) throw new UsageError(`--to ${values.to} is before --from ${values.from}`)
  return { from, to }
}

/** False if one is a position and the other a time. */
function isAfter(one: Place | undefined, other: Place | undefined): boolean {
  if (one === undefined || other === undefined) return false
  if ('position' in one) return 'position' in other && one.position > other.position
  return 'instant' in other && one.instant > other.instant
}

function rulesOf({ decider, projection, from }: Values): ComparedRules {
  if (projection === undefined) return { decider: oneOf(deciders, decider, '--decider must be') }
  if (decider !== undefined) throw new UsageError('diff takes --decider or --projection')
  if (from !== undefined)
    throw new UsageError('documents are made of the whole history: diff --projection takes no --from')
  const names = projections.map(({ name }) => name)
  return { projection: oneOf(names, projection, '--projection must be') }
}

/** A whole number is a position. Anything else is a time. */
function placeOf(word: string | undefined): Place | undefined {
  if (word === undefined) return undefined
  return /^\d+$/.test(word) ? { position: Number(word) } : { instant: instantOf(word) }
}

/** A time without a zone is UTC. A day begins at midnight. */
function instantOf(word: string): number {
  const hasZone = /^\d{4}-\d\d-\d\d$|[Zz]$|[+-]\d\d:?\d\d$/.test(word)
  const instant = isDay(word.slice(0, 10)) ? Date.parse(hasZone ? word : `${word}Z`) : Number.NaN
  if (Number.isNaN(instant)) throw new UsageError(`${word} is no time, such as 2026-01-31T12:00:00Z`)
  return instant
}
