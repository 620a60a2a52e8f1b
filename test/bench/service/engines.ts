import { randomUUID } from 'node:crypto'
import { families, variableOf } from '#ops/local-engines/local-engines.ts'
import { type OwnEngines, startOwnEngines } from '#test/doubles/engines/own-engines.ts'

/** The servers of the distributed mode. */
export type BenchEngines = AsyncDisposable & {
  /** The environment variables that name the servers, and a separate prefix for the topics. */
  env: Record<string, string>
  /** Processes of the servers that were started here. */
  pids: number[]
  /** A description of the servers, for the report. */
  label: string
}

/**
 * Starts an empty server of each family that no variable names. A server that a variable names is used as it is, and
 * keeps the customers and jobs of this run.
 * @throws EngineUnavailableError if this machine lacks what one of them needs
 */
export async function openBenchEngines(): Promise<BenchEngines> {
  await using opening = new AsyncDisposableStack()
  const env: Record<string, string> = { KAFKA_PREFIX: `bench-${randomUUID()}` }
  const started: OwnEngines[] = []
  const labels: string[] = []
  for (const family of families) {
    const given = process.env[variableOf[family]]
    if (given) {
      labels.push(`${variableOf[family]} as it is given`)
      env[variableOf[family]] = given
    } else {
      const own = opening.use(await startOwnEngines(family))
      started.push(own)
      labels.push(own.label)
      env[variableOf[family]] = own.url
    }
  }
  const pids = started.flatMap(({ engines }) => engines.flatMap(({ process: one }) => one?.pid ?? []))
  const open = opening.move()
  return { env, pids, label: labels.join(', '), [Symbol.asyncDispose]: () => open.disposeAsync() }
}
