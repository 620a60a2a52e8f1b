import { isEntry, isTest, type Rule } from './import-rules.ts'
import type { SourceFile } from './source-file.ts'
import { stands, type Token } from './tokens.ts'

const maxLines = 400

/** Code that takes time and chance from the ports Clock and Ids, so that a test or a simulation controls them. */
const decides = /^(packages\/(domain|accounts\/ledger|jobs\/processing)|services\/(orchestrator|projections))\//
const timeAndChance = [
  ['Date', '.', 'now'],
  ['new', 'Date', '(', ')'],
  ['Math', '.', 'random'],
  ['setTimeout', '('],
  ['setInterval', '('],
  ['randomUUID', '('],
]

/** The folder beside the project, which is not part of it. */
const shared = /\.\.\/shared(?![\w-])/
const readsRecordings = ['test/doubles/recordings.ts', 'test/engines/conformance.test.ts', 'test/tidy/rules.test.ts']

/** Documents and lists that are not in the project. */
const outsideReference = /\b(DESI[G]N|DECI[S]IONS|NO[T]ES)\b|\b[Ss]teps \d|[( *'"\x60]F\d{1,2}(?=[:)])/
const unfinished = /\b(TO[D]O|FIX[M]E)\b/
const emptyNames = /(^|[-./])(utils?|helpers?|common|managers?)(?=[-./]|$)/

/** Places where an `expect(…)` continues with anything but `.to.`. */
function otherDialects(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, text }, at) => {
    if (kind !== 'word' || text !== 'expect' || tokens[at + 1]?.text !== '(' || tokens[at - 1]?.text === '.') return []
    let open = 0
    let end = at + 1
    do {
      const { kind, text } = tokens[end] ?? { kind: 'text', text: '' }
      if (kind === 'sign' && text === '(') open += 1
      if (kind === 'sign' && text === ')') open -= 1
      end += 1
    } while (open > 0 && end < tokens.length)
    const next = tokens[end]?.text === '.' ? tokens[end + 1]?.text : 'to'
    return next === 'to' ? [] : [`has expect(…).${next}`]
  })
}

const modules = ({ imports }: SourceFile, name: RegExp): string[] =>
  imports.flatMap((to) => (to.kind === 'node' && name.test(to.name) ? [`imports ${to.name}`] : []))

const found = (tokens: readonly Token[], sequences: readonly string[][]): string[] =>
  sequences.filter((sequence) => stands(tokens, sequence)).map((sequence) => `has ${sequence.join('')}`)

export const textRules: readonly Rule[] = [
  {
    name: 'only packages/foundation/config and entry points read the environment',
    check: (file) =>
      isTest(file.path) || isEntry(file.path) || file.path.startsWith('packages/foundation/config/')
        ? []
        : [...found(file.tokens, [['process', '.', 'env']]), ...modules(file, /^node:process$/)],
  },
  {
    name: 'only entry points, and the code that runs them, end the process',
    check: ({ path, tokens }) =>
      isTest(path) || isEntry(path) || path === 'services/host/run-process.ts'
        ? []
        : found(tokens, [['process', '.', 'exit', '(']]),
  },
  {
    name: 'deciding code takes time and chance from its ports',
    check: (file) =>
      isTest(file.path) || !decides.test(file.path)
        ? []
        : [...found(file.tokens, timeAndChance), ...modules(file, /^node:(timers|perf_hooks)/)],
  },
  {
    name: 'only one module reads recordings: tests must not need them',
    check: ({ path, tokens }) =>
      readsRecordings.includes(path)
        ? []
        : tokens.flatMap(({ kind, text }) => (kind === 'text' && shared.test(text) ? [`names ${text}`] : [])),
  },
  {
    name: `a file has at most ${maxLines} lines`,
    check({ source }) {
      const lines = source.trimEnd().split('\n').length
      return lines > maxLines ? [`has ${lines} lines`] : []
    },
  },
  {
    name: 'nothing refers to what is not in the project',
    check: ({ source }) => (outsideReference.test(source) ? [`says ${outsideReference.exec(source)?.[0]}`] : []),
  },
  {
    name: 'nothing is marked as unfinished',
    check: ({ source }) => (unfinished.test(source) ? [`says ${unfinished.exec(source)?.[0]}`] : []),
  },
  {
    name: 'a name says what is inside',
    check: ({ path }) => (emptyNames.test(path) ? ['is named after nothing'] : []),
  },
  {
    name: 'tests assert by expect(…).to.…',
    check: (file) => [
      ...otherDialects(file.tokens),
      ...found(file.tokens, [['.', 'eql', '(']]),
      ...modules(file, /^node:assert/),
    ],
  },
  {
    name: 'no test runs alone',
    check: ({ tokens }) =>
      found(
        tokens,
        ['it', 'describe', 'context', 'specify', 'suite', 'test'].map((word) => [word, '.', 'only']),
      ),
  },
]
