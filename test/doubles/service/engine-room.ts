import { randomUUID } from 'node:crypto'
import { freshDatabase } from '#packages/adapters/mongodb/fresh-database.fixture.ts'
import { startOwnEngines } from '#test/doubles/engines/own-engines.ts'

/**
 * The npm script that starts the service: `start`, or with SERVICE_SCRIPT=start:distributed several processes.
 */
export const startScript = process.env.SERVICE_SCRIPT ?? 'start'

/**
 * The processes of `start:distributed` for tests that do not need each service apart: the door, the owners, and two
 * workers, between which a job moves. A process costs about 2 s of CPU at its start, and ten of them both cores for 10.
 */
export const fewProcesses = [
  'ingress',
  'orchestrator,projections,retention,webhooks,batches,watches',
  'fetch,caption',
  'speech-to-text,extract',
]

/** Environment variables for the servers that a service needs. None if it runs in one process. */
export type EngineRoom = AsyncDisposable & { env: Readonly<Record<string, string>> }

/**
 * Topics and a database for one service on the servers that KAFKA_BROKERS and MONGODB_URL name. The event store is its
 * own, because tests count its events.
 * @throws Error if a variable is not set
 */
export async function openEngineRoom(script = startScript): Promise<EngineRoom> {
  if (script === 'start') return { env: {}, async [Symbol.asyncDispose]() {} }
  const { KAFKA_BROKERS, MONGODB_URL } = process.env
  if (!KAFKA_BROKERS || !MONGODB_URL)
    throw new Error(`npm run ${script} needs KAFKA_BROKERS and MONGODB_URL; ops/engines env prints them`)
  const events = await startOwnEngines('eventstoredb')
  const views = freshDatabase(MONGODB_URL)
  return {
    env: {
      EVENT_STORE_URL: events.url,
      KAFKA_BROKERS,
      KAFKA_PREFIX: `test-${randomUUID()}`,
      KAFKA_PARTITIONS: '2',
      MONGODB_URL: views.url,
    },
    async [Symbol.asyncDispose]() {
      await events[Symbol.asyncDispose]()
      await views[Symbol.asyncDispose]()
    },
  }
}
