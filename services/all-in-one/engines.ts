/** The adapters that the configuration chooses: what nothing else in the code knows. */
import { connect } from 'node:net'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { openKafkaWorkQueue } from '#packages/adapters/kafka/work-queue.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { openMongoViews } from '#packages/adapters/mongodb/views.ts'
import type { EventOrigin } from '#packages/adapters/sqlite/event-reader.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import type { Config } from '#packages/config/config.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { RebuildableViews, Views } from '#packages/ports/views.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { Dependency } from '#packages/readiness/readiness.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { memoryCounters, type RateCounters } from '#services/ingress/rate-counter.ts'
import { openSharedCounters } from '#services/ingress/shared-rate-counters.ts'
import type { DataDirectory } from './data-directory.ts'

type Ports = { clock: Clock; log: Logger }

/** What a process uses besides the event store, which everybody does. */
export type Need = 'views' | 'queue' | 'counters'

export type Engines = AsyncDisposable & {
  store: EventStore
  views: Views
  queue: WorkQueue
  counters: RateCounters
  dependencies: Dependency[]
}

/** Opens what this process needs. @throws Error one of them cannot be opened */
export async function openEngines(
  config: Config,
  data: DataDirectory,
  needs: ReadonlySet<Need>,
  ports: Ports,
): Promise<Engines> {
  await using opening = new AsyncDisposableStack()
  const { store, origin } = await openStore(config, data, ports.log)
  opening.use(store)
  const dependencies = [storeDependency(store)]
  const mongo = openMongo(config, needs)
  if (mongo) opening.use(mongo)
  const views = needs.has('views')
    ? await openViews(data, { ...ports, origin, mongo })
    : new MemoryViews({ clock: ports.clock })
  opening.use(views)
  if (needs.has('views')) dependencies.push(viewsDependency(views))
  const queue = opening.use(needs.has('queue') ? await openQueue(config, ports.log) : new MemoryWorkQueue())
  if (needs.has('queue') && config.kafkaBrokers !== undefined) dependencies.push(brokersDependency(config.kafkaBrokers))
  const isShared = needs.has('counters') && mongo !== undefined
  const counters = isShared ? await openSharedCounters({ ...ports, db: mongo.db }) : memoryCounters
  const open = opening.move()
  return { store, views, queue, counters, dependencies, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The event store; where it is a file, with what says which events these are. */
export async function openStore(
  { eventStoreUrl }: Config,
  { events }: DataDirectory,
  log?: Logger,
): Promise<{ store: EventStore; origin?: EventOrigin }> {
  if (eventStoreUrl === undefined) {
    const store = await openSqliteEventStore({ path: events })
    return { store, origin: store.origin }
  }
  const onTrouble = (error: unknown): void => log?.warn({ err: error }, 'the event store does not answer; trying again')
  return { store: openEventStoreDb(eventStoreUrl, { onTrouble }) }
}

const openMongo = ({ mongodbUrl: url }: Config, needs: ReadonlySet<Need>): MongoConnection | undefined =>
  url !== undefined && (needs.has('views') || needs.has('counters')) ? new MongoConnection({ url }) : undefined

type ViewsParts = { clock: Clock; log?: Logger; origin?: EventOrigin | undefined; mongo: MongoConnection | undefined }

/** The views, in the database where there is one. */
export function openViews(data: DataDirectory, parts: ViewsParts): Promise<RebuildableViews> {
  const { clock, log, origin, mongo } = parts
  if (mongo) return openMongoViews({ connection: mongo, clock })
  return openSqliteViews({ path: data.views, clock, ...(origin && { origin }), ...(log && { log }) })
}

function openQueue(config: Config, log: Logger): Promise<WorkQueue> | WorkQueue {
  const { kafkaBrokers, kafkaPartitions: partitions, kafkaReplication: replication, kafkaPrefix: prefix } = config
  if (kafkaBrokers === undefined) return new MemoryWorkQueue()
  return openKafkaWorkQueue({ brokers: kafkaBrokers, log, partitions, replication, prefix })
}

/** Which engines are used, for the person who started it. */
export function enginesOf({ eventStoreUrl, kafkaBrokers, mongodbUrl }: Config): string {
  const [events, views] = [eventStoreUrl ? 'EventStoreDB' : 'SQLite', mongodbUrl ? 'MongoDB' : 'SQLite']
  const both = events === views ? `events and views in ${events}` : `events in ${events}, views in ${views}`
  return `${both}, work queue in ${kafkaBrokers ? 'Kafka' : 'memory'}`
}

const storeDependency = (store: EventStore): Dependency => ({
  name: 'the event store',
  async look() {
    await store.read(streams.organization('nobody'))
    return undefined
  },
})

const viewsDependency = (views: Views): Dependency => ({
  name: 'the database of the views',
  async look() {
    await views.getNotes(['nothing'])
    return undefined
  },
})

/** One broker that can be reached leads to the others. */
const brokersDependency = (brokers: readonly string[]): Dependency => ({
  name: 'Kafka',
  async look() {
    await Promise.any(brokers.map(reach))
    return undefined
  },
})

function reach(broker: string): Promise<void> {
  const [, host = broker, port = '9092'] = /^(.*):(\d+)$/.exec(broker) ?? []
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), host)
    socket.setTimeout(1000, () => socket.destroy(new Error('no answer')))
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}
