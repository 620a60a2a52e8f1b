/**
 * The distributed mode: a process for each service, on the servers that EVENT_STORE_URL, KAFKA_BROKERS and MONGODB_URL
 * lead to, or on local ones, real where they are on this machine. Beside it the embedded mode with the same steps, and what the client of the event store does
 * by itself; all on the same machine, where the servers take part of the same cores.
 */
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import type { Bench, Figures, Part } from '../part.ts'
import { type BenchEngines, openBenchEngines } from '../service/engines.ts'
import { accepting } from './distributed/accepting.ts'
import { completing } from './distributed/completing.ts'

async function run(bench: Bench): Promise<Figures> {
  let engines: BenchEngines
  try {
    engines = await openBenchEngines()
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    return { rows: [{ what: 'the distributed mode', measured: `not measured: ${error.message}` }] }
  }
  await using open = engines
  const whole = await completing(bench, open)
  // Last: nobody works on what it accepts.
  const accepts = await accepting(bench, open)
  return { rows: [{ what: 'servers', measured: open.label }, ...accepts, ...whole] }
}

export const distributed: Part = { name: 'distributed', title: 'One process for each service', run }
