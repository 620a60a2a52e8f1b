import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import { families, LocalEngines, variableOf } from '#ops/local-engines/local-engines.ts'
import { isAlive } from '#ops/local-engines/process.ts'
import { whyAbsent } from '#test/doubles/engines/describe-on.ts'
import { runFolderName } from '#test/doubles/engines/own-engines.ts'

/** Engines of a run are not detached: whatever ends the run's process group ends them, too. */
const engines = (folder: string): LocalEngines =>
  new LocalEngines({ root: process.cwd(), folder, detached: false, env: process.env })

/** See runFolderName. */
const runFolder = /^run-(\d+)-(\d+)\b/

/** Ends the engines of earlier runs that were killed, and removes their folders. */
async function sweep(parent: string): Promise<void> {
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const [, pid, startedAt = ''] = runFolder.exec(name) ?? []
    if (pid === undefined || isAlive({ pid: Number(pid), startedAt })) continue
    await engines(join(parent, name)).down({ wipe: true })
  }
}

/**
 * Starts the engines that have no variable set, for this run, sets their variables, and describes them. If one cannot
 * start, it sets the variable with the reason; the tests that need it are left out.
 */
export async function startEngines(): Promise<AsyncDisposable & { labels: readonly string[] }> {
  const parent = join(process.cwd(), '.engines')
  await sweep(parent)
  const run = engines(join(parent, runFolderName()))
  const labels: string[] = []
  for (const family of families.filter((each) => !process.env[variableOf[each]]))
    try {
      await run.up(family)
      process.env[variableOf[family]] = run.urlOf(family)
      labels.push(run.labelOf(family))
    } catch (error) {
      const why = error instanceof EngineUnavailableError ? error.message : `it does not start: ${error}`
      process.env[whyAbsent(family)] = why
    }
  return { labels, [Symbol.asyncDispose]: () => run.down({ wipe: true }) }
}
