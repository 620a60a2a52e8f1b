/**
 * Runs the test files given as arguments with mocha, and reports to the parent process, over its channel, how each test
 * ended. The process then has to end by itself: so the parent detects a test that leaves something open.
 */
import { relative } from 'node:path'
import { format } from 'node:util'
import Mocha from 'mocha'
import { lackOf } from './left-out.ts'
import type { Outcome } from './report.ts'

/**
 * Messages to the parent. A test or a hook begins, and how long it may take; how it ended; a figure that it measured.
 * `ended` is the last.
 */
export type FromWorker =
  | { kind: 'began'; timeoutMs: number }
  | { kind: 'outcome'; outcome: Outcome }
  | { kind: 'measured'; text: string }
  | { kind: 'ended' }

const tell = (message: FromWorker): void => {
  process.send?.(message)
}

/**
 * Resolves once the parent can read the message, and all before it. What is not written yet is lost when the channel is
 * closed.
 */
const told = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve()
    else process.send(message, () => resolve())
  })

/** With one process per service, everything takes longer than the tests' own timeouts allow. */
const PATIENCE = process.env.SERVICE_SCRIPT === 'start:distributed' ? 2 : 1

/** Mocha's own text for a failure, with the difference between expected and actual. */
function reportOf(test: Mocha.Runnable, error: unknown): string {
  const lines: string[] = []
  const base = Mocha.reporters.Base as unknown as {
    consoleLog: (...args: unknown[]) => void
    list(tests: object[]): void
  }
  const kept = base.consoleLog
  base.consoleLog = (...args) => void lines.push(format(...args))
  base.list([
    { titlePath: () => test.titlePath(), fullTitle: () => test.fullTitle(), err: error, isPending: () => false },
  ])
  base.consoleLog = kept
  return lines.join('\n').replace(/^\s*\n|\s+$/g, '')
}

async function run(files: readonly string[]): Promise<void> {
  const mocha = new Mocha({ timeout: 120_000, forbidOnly: true, color: false, reporter: Mocha.reporters.Base })
  const fileOf = (test: Mocha.Runnable): string =>
    relative(process.cwd(), test.file ?? test.parent?.file ?? files[0] ?? '')
  const outcome = (state: Outcome['state'], test: Mocha.Runnable, report = ''): void => {
    const lack = lackOf(test)
    const outcome = { state, file: fileOf(test), title: test.fullTitle().trim(), report, ms: test.duration ?? 0 }
    tell({ kind: 'outcome', outcome: lack ? { ...outcome, lack } : outcome })
  }
  for (const file of files) mocha.addFile(file)
  await mocha.loadFilesAsync()
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve())
    const begun = new WeakSet<Mocha.Runnable>()
    const begin = (runnable: Mocha.Runnable): void => {
      if (!begun.has(runnable)) runnable.timeout(runnable.timeout() * PATIENCE)
      begun.add(runnable)
      tell({ kind: 'began', timeoutMs: runnable.timeout() })
    }
    runner.on('hook', begin)
    runner.on('test', begin)
    runner.on('pass', (test) => outcome('passed', test))
    runner.on('pending', (test) => outcome('skipped', test))
    runner.on('fail', (test, error) => outcome('failed', test, reportOf(test, error)))
  })
}

await run(process.argv.slice(2))
await told({ kind: 'ended' })
process.disconnect?.()
setTimeout(() => console.error(`still open: ${process.getActiveResourcesInfo().join(', ')}`), 3_000).unref()
