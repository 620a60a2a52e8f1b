/**
 * `npm test`: the checks of the whole tree, then every `*.test.ts`, two processes at a time.
 * `npm test -- PATTERN…` runs only the test files whose path contains or matches one of the patterns, and no checks.
 * Servers that `*.engines.test.ts` need are started for the run where this machine can and their variables are not set.
 * The long tests in test/engines and test/attacks/long run only where a pattern names their folder. With SERVICE_SCRIPT=start:distributed the
 * scenarios start a process for each service (`npm run test:engines` is all that).
 * The last line is `N passed, N failed, N skipped`; exits 1 where anything failed or nothing passed.
 */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { matchesGlob } from 'node:path'
import { startScript } from './doubles/service/engine-room.ts'
import { checks, runCheck } from './runner/checks.ts'
import { trapOutcomes, trapRows } from './runner/engine-traps.ts'
import { startEngines } from './runner/engines.ts'
import { Report } from './runner/report.ts'
import { runFiles } from './runner/run-files.ts'

/** Which tests answer what the engines do that one would not expect. */
const TRAPS = 'ops/adr/engine-traps.md'

const longTests = ['test/engines/', 'test/attacks/long/']

const inside = { exclude: (path: string) => /(^|\/)(node_modules|\..+)$/.test(path) }

/** Scenarios and attacks start whole services: each has a process of its own. Other files share one with their room. */
function roomOf(file: string): string {
  return /^test\/(scenarios|attacks)\//.test(file) ? file : file.split('/').slice(0, 2).join('/')
}

function testFiles(patterns: readonly string[]): string[] {
  const wanted = (file: string): boolean =>
    patterns.length === 0
      ? !longTests.some((folder) => file.startsWith(folder))
      : patterns.some((pattern) => file.includes(pattern) || matchesGlob(file, pattern))
  return globSync('**/*.test.ts', inside).filter(wanted).sort()
}

async function main(patterns: readonly string[]): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name))
  const report = new Report((line) => console.log(line))
  const files = testFiles(patterns)
  const needsEngines = startScript !== 'start' || files.some((file) => file.endsWith('.engines.test.ts'))
  // They start while the checks run.
  const starting = needsEngines ? startEngines((line) => console.log(line)) : undefined
  if (patterns.length === 0)
    for (const check of checks) {
      const outcome = await runCheck(check)
      report.add(check.title, [outcome])
    }
  await using _engines = await starting
  // The longest first: the scenarios stand in test/.
  const rooms = [...Map.groupBy(files, roomOf)].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, files]) => files)
  const worker = [process.execPath, '--import', 'tsx', 'test/runner/worker.ts'] as const
  const work = async (): Promise<void> => {
    for (let files = rooms.shift(); files && !stop.signal.aborted; files = rooms.shift())
      await runFiles(files, report, { worker, signal: stop.signal })
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
  const unanswered = trapOutcomes(trapRows(readFileSync(TRAPS, 'utf8')), report.outcomes)
  if (unanswered.length > 0) report.add(TRAPS, unanswered)
  report.close()
  process.exitCode = report.ok && !stop.signal.aborted ? 0 : 1
}

await main(process.argv.slice(2))
