/** The table of `ops/security.md`. */
import { readFileSync, writeFileSync } from 'node:fs'

const FILE = 'ops/security.md'
export const HEADING = '## What each request costs'

/** The most that a request may cost without a given reason: milliseconds of the main thread, megabytes. */
export const MOST_MS = 5
export const MOST_MB = 2

/** `route`: such as `get /v1/me`. `worst`: its heaviest request, in words. */
export type Row = { route: string; worst: string; ms: number; mb: number }

const largeEvents =
  'the events of a job with 2 MB of text are read from their store: each is decoded in a turn of its own'
const ownResult = 'a result of 2 MB is read as text and handed on; what others wait for is one piece of 64 kB'
const inThread = 'a result of 2 MB is read as text, and parsed in a thread, one at a time'
const manyKeys = 'a thousand keys, the most that an organization may have, in one list'
const allPages = 'of a page, rendering; rates count it, and one page is one turn'

/** Why a request may cost more: the first pattern that matches a route. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/transcript\.(srt|vtt|txt)$/, inThread],
  [/(transcript|extraction)\.json$|^get \/v1\/(transcript|extract)\/\{jobId\}/, ownResult],
  [/jobs\/(:jobId|\{jobId\})/, largeEvents],
  [/\/keys/, manyKeys],
  [/\/usage$/, 'a page of the ledger, each line with its job and the title of the video'],
  [/^post \/v1\/(extract|estimate)/, 'a body of 64 kB is parsed and checked; its schema is checked in a thread'],
  [/^post .*\/try/, 'a form of 190 kB of a member, whose call is made as that of /v1'],
  [/^(post|patch) /, 'a body at its limit is parsed and checked'],
  [/^get \/v1\/(metadata|search|tiktok|instagram)/, 'a read of a platform, which is asked outside of this thread'],
  [/^get /, allPages],
]

const isHeavy = ({ ms, mb }: Row): boolean => ms > MOST_MS || mb > MOST_MB

const reasonOf = (row: Row): string =>
  isHeavy(row) ? (reasons.find(([pattern]) => pattern.test(row.route))?.[1] ?? '') : ''

const two = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0))

/** Writes the table in place of the previous one. */
export function writeTable(rows: readonly Row[], about: string): void {
  const lines = rows.map((row) =>
    ['', `\`${row.route}\``, row.worst, `${two(row.ms)} ms`, `${two(row.mb)} MB`, reasonOf(row), ''].join(' | ').trim(),
  )
  const head = ['| route | worst request | main thread | memory | why more |', '| --- | --- | --- | --- | --- |']
  const [before = ''] = readFileSync(FILE, 'utf8').split(HEADING)
  const section = [HEADING, '', about, '', ...head, ...lines, ''].join('\n')
  writeFileSync(FILE, `${before.trimEnd()}\n\n${section}`)
}

/** The rows of the table as it is written: route, milliseconds, megabytes and reason. */
export function readTable(): (Row & { why: string })[] {
  const [, section = ''] = readFileSync(FILE, 'utf8').split(HEADING)
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, route = '', worst = '', ms = '', mb = '', why = ''] = line.split('|').map((cell) => cell.trim())
      return { route: route.replaceAll('`', ''), worst, ms: Number.parseFloat(ms), mb: Number.parseFloat(mb), why }
    })
}
