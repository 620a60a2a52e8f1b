/**
 * `npm test`: the checks of the whole tree, and every `*.test.ts`, four processes at a time, because half of their time
 * is waiting. With one process per service it is three, and at most two of them start services. `npm test -- PATTERN…`
 * runs only the test files with a path that contains or matches one of the patterns, and no checks. `npm test -- --bare
 * [PATTERN…]` hides Java, Maven and ../shared, and runs only the test files that look for them. Some files run only if
 * a pattern matches them: `*.engines.test.ts`, and the long tests in test/engines, test/attacks/long
 * (`npm run test:attacks`), test/languages (`npm run test:languages`) and test/browser (`npm run test:browser`). If
 * there is no Chromium, the report says so in any case. The run starts the servers that the tests need, if this machine
 * can and their variables are not set. With SERVICE_SCRIPT=start:distributed the scenarios start a few processes, or one
 * for each service, except those that this cannot change (`npm run test:engines` does all this). The last line is `N
 * passed, N failed, N skipped`; exits 1 if anything failed or nothing passed.
 */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { matchesGlob, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chromiumPath } from './browser/chromium.ts'
import { startScript } from './doubles/service/engine-room.ts'
import { filesThatLook, makeBare, notHidden } from './runner/bare-machine.ts'
import { checks, runCheck } from './runner/checks.ts'
import { trapOutcomes, trapRows } from './runner/engine-traps.ts'
import { startEngines } from './runner/engines.ts'
import { inOneProcessOnly } from './runner/one-process.ts'
import { Report } from './runner/report.ts'
import { runFiles } from './runner/run-files.ts'

/** Where Node keeps compiled code: the tests start hundreds of processes and threads with the same modules. */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled')

/** The table of unexpected behaviour of the engines, each with the test of our answer. */
const TRAPS = 'ops/adr/engine-traps.md'

const longTests = /^test\/(engines|attacks\/long|browser|languages)\//
const engineTests = /\.engines\.test\.ts$/

/** A test in a browser on a machine without one. It takes no time, and the report shows what is missing. */
const lacksBrowser = (file: string): boolean => file.startsWith('test/browser/') && chromiumPath() === undefined

const inside = { exclude: (path: string) => /(^|\/)(node_modules|\..+)$/.test(path) }

/**
 * Folders with processes of their own, because their files take minutes. They begin first, so that no process is alone
 * at the end.
 */
const longestRooms = [
  'test/engines',
  'packages/adapters/kafka',
  'test/simulation',
  'packages/adapters/sqlite',
  'test/scenarios',
  'ops/platforms',
  'test/attacks',
  'packages/adapters/eventstoredb',
  'packages/content/speech',
  'packages/content/media',
]

/** Folders that this many processes share. Undefined: each file has its own process. */
const roomsInPieces = new Map([
  ['test/engines', 6],
  ['test/scenarios', startScript === 'start' ? 10 : 100],
  ['test/attacks', 5],
  ['ops', 3],
  ['packages', 5],
  ['services', 4],
  ['test', 2],
])

/**
 * Files that share a process. All short ones of a top folder do: loading their imports takes longer than most of them,
 * and most import the same modules.
 */
const roomOf = (file: string): string =>
  longestRooms.find((room) => file.startsWith(`${room}/`)) ?? (file.split('/')[0] as string)

/** With one process per service: whether a test starts them all, which takes both cores for seconds. */
const startsServices = (file: string): boolean =>
  startScript !== 'start' && /^test\/(scenarios\/|engines\/(conformance|late-engines)\.)/.test(file)

/** The files of each process, in the order in which they begin. */
function piecesOf(files: readonly string[]): string[][] {
  const rankOf = (room: string): number => (longestRooms.includes(room) ? longestRooms.indexOf(room) : 99)
  const rooms = [...Map.groupBy(files, roomOf)].sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
  return rooms.flatMap(([room, all]) => {
    const length = Math.ceil(all.length / (roomsInPieces.get(room) ?? 1))
    return Array.from({ length: Math.ceil(all.length / length) }, (_, n) => all.slice(n * length, (n + 1) * length))
  })
}

function testFiles({ patterns, bare }: { patterns: readonly string[]; bare: boolean }): string[] {
  const wanted = (file: string): boolean =>
    patterns.length === 0
      ? (!longTests.test(file) || lacksBrowser(file)) && (bare || !engineTests.test(file))
      : patterns.some((pattern) => file.includes(pattern) || matchesGlob(file, pattern))
  const differs = (file: string): boolean =>
    startScript === 'start' || !(file in inOneProcessOnly) || patterns.includes(file)
  return globSync('**/*.test.ts', inside)
    .filter((file) => wanted(file) && differs(file))
    .sort()
}

async function main({ patterns, bare }: { patterns: readonly string[]; bare: boolean }): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name))
  const report = new Report((line) => console.log(line))
  await using _bare = bare ? await makeBare(process.env) : undefined
  const looking = bare ? filesThatLook() : undefined
  const files = testFiles({ patterns, bare }).filter((file) => looking?.has(file) ?? true)
  const needsEngines = startScript !== 'start' || files.some((file) => file.endsWith('.engines.test.ts'))
  await using engines = needsEngines ? await startEngines() : undefined
  for (const label of engines?.labels ?? []) console.log(label)
  const { heavy = [], light = [] } = Object.groupBy(piecesOf(files), (piece) =>
    piece.some(startsServices) ? 'heavy' : 'light',
  )
  const worker = [process.execPath, ...process.execArgv, 'test/runner/worker.ts'] as const
  const work = async (...queues: string[][][]): Promise<void> => {
    const next = (): string[] | undefined => queues.find((queue) => queue.length > 0)?.shift()
    for (let piece = next(); piece && !stop.signal.aborted; piece = next())
      await runFiles(piece, report, { worker, signal: stop.signal })
  }
  const checkFirst = async (): Promise<void> => {
    for (const check of patterns.length === 0 && !bare ? checks : []) report.add(check.title, [await runCheck(check)])
    await work(heavy, light)
  }
  // Not more on a machine with one core.
  const more = availableParallelism() === 1 ? 0 : startScript === 'start' ? 3 : 1
  await Promise.all([checkFirst(), work(heavy, light), ...Array.from({ length: more }, () => work(light))])
  const unanswered = trapOutcomes(trapRows(readFileSync(TRAPS, 'utf8')), report.outcomes)
  if (unanswered.length > 0) report.add(TRAPS, unanswered)
  const seen = bare && patterns.length === 0 ? notHidden(report.outcomes) : []
  if (seen.length > 0) report.add('the bare run', seen)
  report.close()
  process.exitCode = report.ok && !stop.signal.aborted ? 0 : 1
}

const { values, positionals } = parseArgs({
  options: { bare: { type: 'boolean', default: false } },
  allowPositionals: true,
})
await main({ patterns: positionals, bare: values.bare })
