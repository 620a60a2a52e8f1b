/**
 * `npm run start:distributed`: runs each service as a process on this machine, on the servers at EVENT_STORE_URL,
 * KAFKA_BROKERS and MONGODB_URL. For tests and small machines; elsewhere use something like ops/compose.yaml. A process
 * that dies is restarted. Without SECRETS_KEY it makes a key in DATA_DIR. Words choose the processes, by the services of
 * each: `npm run start:distributed -- ingress orchestrator,projections,retention,webhooks,batches,watches fetch,caption
 * speech-to-text,extract` takes half of the memory.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { type Config, readConfig, variables } from '#packages/foundation/config/config.ts'
import { clearTemporary, openDataDirectory } from '#services/host/data-directory.ts'
import { missingEngines } from '#services/host/missing-engines.ts'
import { chooseKey } from '#services/host/open-sealer.ts'
import { processesOf, processName } from '#services/host/processes.ts'
import { runProcess } from '#services/host/run-process.ts'
import { type PartName, partNames } from '#services/host/serve.ts'
import { Supervisor } from './supervisor.ts'

const service = fileURLToPath(new URL('../../services/host/main.ts', import.meta.url))

/** The longest that the ingress waits for the other services to start, milliseconds. */
const INGRESS_AFTER_MS = 15_000

/**
 * How long a process may take to end before it is killed, milliseconds. By then it has ended itself (run-process.ts).
 */
const END_WITHIN_MS = 25_000

/** Lines of the log already carry their service's name. */
function say(name: string, line: string, channel: 'stdout' | 'stderr'): void {
  process[channel].write(line.startsWith('{') || channel === 'stdout' ? `${line}\n` : `${name}: ${line}\n`)
}

/** Each process has its own metrics port, in the order of the processes. */
const metricsPortAt = (at: number, { metricsPort }: Config): Record<string, string> =>
  metricsPort === undefined || metricsPort === 0 ? {} : { METRICS_PORT: `${metricsPort + at}` }

async function main(stop: AbortSignal): Promise<void> {
  const processes = processesOf(parseArgs({ allowPositionals: true }).positionals)
  const config = readConfig(process.env)
  // If only the key is missing, it is made here.
  const missing = missingEngines(config, partNames).filter((name) => name !== variables.secretsKey.variable)
  if (missing.length > 0)
    throw new Error(`set ${missing.join(', ')}; for servers of this machine: ops/engines up, eval "$(ops/engines env)"`)
  const data = await openDataDirectory(config.dataDir)
  using _lock = lockDataDirectory(data.path)
  await clearTemporary(data)
  const { file: keyFile } = chooseKey(config, data.path)

  const supervisor = new Supervisor({ say, stop, endWithinMs: END_WITHIN_MS })
  const shared = { ...process.env, SERVICE_PORT: '0', ...(keyFile !== undefined && { SECRETS_KEY_FILE: keyFile }) }
  const start = (parts: readonly PartName[]): Promise<void> => {
    const name = processName(parts)
    const env = { ...shared, ...metricsPortAt(processes.indexOf(parts), config) }
    const words = [...process.execArgv, service, parts.join(',')]
    return supervisor.start({ name, words, env })
  }
  // The ingress starts last, so that workers are ready for its jobs. If they wait for an engine, it reports that.
  const { last = [], first = [] } = Object.groupBy(processes, (parts) => (parts.includes('ingress') ? 'last' : 'first'))
  const others = Promise.all(first.map(start))
  await Promise.race([others, sleep(INGRESS_AFTER_MS, undefined, { ref: false })])
  if (!stop.aborted) await Promise.all(last.map(start))
  await others
  await supervisor.ended()
}

await runProcess(main)
