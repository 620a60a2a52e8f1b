import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Engine } from '#ops/local-engines/engine.ts'
import { type Family, LocalEngines } from '#ops/local-engines/local-engines.ts'
import { identify } from '#ops/local-engines/process.ts'

/** A folder in .engines/ for this process. Its name lets later runs find out whether the process has ended. */
export const runFolderName = (): string => `run-${process.pid}-${identify(process.pid)?.startedAt}`

/** Servers for one test alone, which may stop, kill and freeze them. */
export type OwnEngines = AsyncDisposable & {
  /** The one server, or each broker. */
  engines: readonly Engine[]
  /** The value of the family's variable. */
  url: string
  /** A description of what was started. */
  label: string
}

/**
 * Starts servers of a family on ports and in a folder of their own.
 * @throws EngineUnavailableError if this machine lacks what it needs
 */
export async function startOwnEngines(family: Family, brokers = 1): Promise<OwnEngines> {
  const root = process.cwd()
  const folder = join(root, '.engines', `${runFolderName()}-${randomUUID().slice(0, 8)}`)
  const local = new LocalEngines({ root, folder, detached: false, env: process.env })
  const engines = await local.up(family, family === 'kafka' ? brokers : undefined)
  return {
    engines,
    url: local.urlOf(family),
    label: local.labelOf(family),
    async [Symbol.asyncDispose]() {
      await Promise.all(engines.map((engine) => engine.kill()))
      await local.down({ wipe: true })
    },
  }
}
