/**
 * The distributed mode: a process for each service. It runs on the servers that EVENT_STORE_URL, KAFKA_BROKERS and
 * MONGODB_URL name, or on local ones, real if they are installed here. It is compared with the embedded mode with the
 * same steps, and with the client of the event store alone. All run on the same machine, so the servers share its
 * cores.
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
  // This comes last, because no worker handles the jobs that it accepts.
  const accepts = await accepting(bench, open)
  return { rows: [{ what: 'servers', measured: open.label }, ...accepts, ...whole] }
}

export const distributed: Part = { name: 'distributed', title: 'One process for each service', run }
