/**
 * Opens the adapters that the configuration chooses. No other code knows which they are. Server clients are loaded only
 * if they are used: together they take longer to load than everything else.
 */

import { CircuitBreaker } from '#packages/adapters/circuit-breaker.ts'
import type { KafkaWorkQueue, KafkaWorkQueueOptions } from '#packages/adapters/kafka/work-queue.ts'
import { memoryRateCounters } from '#packages/adapters/memory/rate-counters.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import type { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { promptViews } from '#packages/adapters/prompt-views.ts'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import type { EventOrigin } from '#packages/adapters/sqlite/event-reader.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { openSqliteViewsReader } from '#packages/adapters/sqlite/views-reader.ts'
import type { Step } from '#packages/domain/job/events.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import type { Dependency } from '#packages/foundation/readiness/readiness.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import type { RebuildableViews, Views } from '#packages/ports/views.ts'
import type { ViewsReader } from '#packages/ports/views-reader.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { DataDirectory } from './data-directory.ts'
import { TroubleLog, terminalLines } from './trouble-log.ts'

/** After this silence a process without requests asks the event store for its end, milliseconds. It checks no keys. */
const ASK_AFTER_MS = 2000

type Ports = { clock: Clock; log: Logger; telemetry: Telemetry }

/**
 * The adapters that a process needs in addition to the event store. `ownership`: if there are brokers, they choose
 * which of several processes does the work.
 */
export type Need = 'views' | 'queue' | 'ownership' | 'counters' | 'accounts'

/** The needs that the database meets, if one is configured. */
const inMongo: readonly Need[] = ['views', 'counters', 'accounts']

export type Engines = AsyncDisposable & {
  store: EventStore
  views: Views
  /** The views for requests, which do not wait for a database that is known to be away. */
  promptViews: Views
  queue: WorkQueue
  /**
   * Elect the owners of the orchestrator's work, of the views, of webhooks, batches and watches; undefined if this
   * process is alone.
   */
  ownership: Ownership | undefined
  viewsOwnership: Ownership | undefined
  webhooksOwnership: Ownership | undefined
  batchesOwnership: Ownership | undefined
  watchesOwnership: Ownership | undefined
  counters: RateCounters
  /** Undefined if no part of this process needs them. */
  accounts: Accounts | undefined
  dependencies: Dependency[]
  /** Resolves when damaged events were found: a follower may then never catch up. */
  damaged: Promise<void>
}

/**
 * Opens what this process needs, without waiting for servers. While a server does not answer yet, its users retry, and
 * the process is not ready.
 * @throws Error a file cannot be opened, or a URL is not usable
 */
export async function openEngines(
  config: Config,
  data: DataDirectory,
  needs: ReadonlySet<Need>,
  ports: Ports,
): Promise<Engines> {
  await using opening = new AsyncDisposableStack()
  const { store, origin, look, damaged } = await openServedStore(config, data, needs, ports.log)
  opening.use(store)
  const dependencies = [storeDependency(store, look)]
  const mongo = inMongo.some((need) => needs.has(need)) ? await openMongo(config, ports.log) : undefined
  if (mongo) opening.use(mongo)
  const views = needs.has('views')
    ? await openViews(data, { ...ports, store, origin, mongo })
    : new MemoryViews({ clock: ports.clock, definition })
  opening.use(views)
  if (needs.has('views')) dependencies.push(viewsDependency(views))
  const kafka = needs.has('queue') || needs.has('ownership') ? await openKafka(config, ports) : undefined
  const queue = opening.use(kafka ?? new MemoryWorkQueue({ onDeadLetter: countDeadLetters(ports) }))
  // Views are kept without Kafka too, so only a process that needs the queue depends on it.
  if (kafka && needs.has('queue')) dependencies.push({ name: 'Kafka', look: () => kafka.look() })
  const database = mongo && opening.use(await watched(mongo, ports))
  const counters =
    mongo && database && needs.has('counters')
      ? opening.use(await countersOf(mongo, { ...ports, database }))
      : memoryRateCounters
  const accounts = needs.has('accounts') ? opening.use(await openAccounts(data, mongo)) : undefined
  if (accounts) dependencies.push(accountsDependency(accounts))
  // Events in a file belong to this process alone.
  const shared = config.eventStoreUrl === undefined ? undefined : kafka
  const open = opening.move()
  return {
    store,
    accounts,
    damaged,
    views,
    promptViews: database ? promptViews(views, database) : views,
    queue,
    ownership: shared?.ownershipOf('orchestrator'),
    viewsOwnership: shared?.ownershipOf('projections'),
    webhooksOwnership: shared?.ownershipOf('webhooks'),
    batchesOwnership: shared?.ownershipOf('batches'),
    watchesOwnership: shared?.ownershipOf('watches'),
    counters,
    dependencies,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

type ServedStore = OpenedStore & { damaged: Promise<void> }

/** The event store of a process that keeps serving undamaged events. */
async function openServedStore(
  config: Config,
  data: DataDirectory,
  needs: ReadonlySet<Need>,
  log: Logger,
): Promise<ServedStore> {
  const damaged = Promise.withResolvers<void>()
  if (config.eventStoreUrl !== undefined) {
    const askAfterMs = needs.has('counters') ? undefined : ASK_AFTER_MS
    return { ...(await openStore(config, data, log, askAfterMs)), damaged: damaged.promise }
  }
  const onDamage = (err: DamagedEventsError): void => {
    log.error({ alarm: 'damaged_events', ...err.place, err }, 'the events are damaged: nothing is accepted')
    damaged.resolve()
  }
  const store = await openSqliteEventStore({ path: data.events, onDamage })
  if (store.integrityProblem() !== undefined) damaged.resolve()
  return { store, origin: store.origin, look: () => readNothing(store), damaged: damaged.promise }
}

/** Reads a stream that does not exist, to check whether the store answers. */
const readNothing = (store: EventStore): Promise<unknown> => store.read(streams.organization('nobody'))

type OpenedStore = {
  store: EventStore
  /** The identity of the events, if the store is a file. */
  origin?: EventOrigin
  /** Resolves if the store supports everything that the service needs. @throws Error it does not */
  look(): Promise<unknown>
}

/** The event store. Without a log, its refusals are printed on the terminal. */
export async function openStore(
  config: Config,
  { events }: Pick<DataDirectory, 'events'>,
  log?: Logger,
  askAfterMs?: number,
): Promise<OpenedStore> {
  const { eventStoreUrl } = config
  if (eventStoreUrl === undefined) {
    const store = await openSqliteEventStore({ path: events })
    return { store, origin: store.origin, look: () => readNothing(store) }
  }
  const troubles = new TroubleLog('the event store', log ?? terminalLines)
  const { openEventStoreDb } = await import('#packages/adapters/eventstoredb/event-store.ts')
  const store = openEventStoreDb(eventStoreUrl, {
    askAfterMs,
    onTrouble: (error, asked) => troubles.failed(error, asked),
    onAnswer: (asked) => troubles.answered(asked),
  })
  return { store, look: () => store.look() }
}

/** Undefined if no database is configured. */
export async function openMongo({ mongodbUrl: url }: Config, log?: Logger): Promise<MongoConnection | undefined> {
  if (url === undefined) return undefined
  const troubles = new TroubleLog('the database', log ?? terminalLines)
  const { MongoConnection } = await import('#packages/adapters/mongodb/connection.ts')
  return new MongoConnection({
    url,
    onTrouble: (error) => troubles.failed(error),
    onAnswer: () => troubles.answered(),
  })
}

/** How long a request waits for the database before the database counts as away, milliseconds. */
const ANSWER_WITHIN_MS = 500

async function watched(mongo: MongoConnection, { clock, log }: Ports): Promise<CircuitBreaker> {
  const { isAway } = await import('#packages/adapters/mongodb/connection.ts')
  return new CircuitBreaker({
    clock,
    what: 'the database',
    probe: () => mongo.ping(),
    isAway,
    onAway: (err) => log.warn({ err }, 'the database does not answer: requests go on without it'),
    answerWithinMs: ANSWER_WITHIN_MS,
  })
}

async function countersOf(
  { db }: MongoConnection,
  ports: Ports & { database: CircuitBreaker },
): Promise<RateCounters & AsyncDisposable> {
  const { mongoRateCounters } = await import('#packages/adapters/mongodb/rate-counters.ts')
  return mongoRateCounters({ ...ports, db })
}

type ViewsParts = {
  clock: Clock
  mongo: MongoConnection | undefined
  /** Views of another store are rebuilt. In a file, so are views of another origin. */
  store?: EventStore
  origin?: EventOrigin | undefined
  log?: Logger
}

/** The views, in the database if there is one. */
export async function openViews(data: DataDirectory, parts: ViewsParts): Promise<RebuildableViews> {
  const { clock, log, store, origin, mongo } = parts
  if (mongo) {
    const { openMongoViews } = await import('#packages/adapters/mongodb/views.ts')
    return openMongoViews({ connection: mongo, clock, definition, storeId: store && (() => store.id()) })
  }
  return openSqliteViews({ path: data.views, clock, definition, ...(origin && { origin }), ...(log && { log }) })
}

/** The stored views, for readers beside the services that write them. Undefined if there are none. */
export async function openViewsReader(
  { views }: Pick<DataDirectory, 'views'>,
  { clock, mongo: connection }: Pick<ViewsParts, 'clock' | 'mongo'>,
): Promise<ViewsReader | undefined> {
  if (connection === undefined) return openSqliteViewsReader(views, definition)
  const { openMongoViewsReader } = await import('#packages/adapters/mongodb/views-reader.ts')
  return openMongoViewsReader({ connection, clock, definition })
}

/** The accounts of the dashboard, in the database if there is one. Commands may open them beside a running service. */
export async function openAccounts(data: DataDirectory, mongo: MongoConnection | undefined): Promise<Accounts> {
  if (mongo === undefined) return openSqliteAccounts({ path: data.accounts })
  const { openMongoAccounts } = await import('#packages/adapters/mongodb/accounts.ts')
  return openMongoAccounts(mongo)
}

/** Undefined if no brokers are configured. */
async function openKafka(config: Config, ports: Ports): Promise<KafkaWorkQueue | undefined> {
  const options = kafkaOptionsOf(config)
  if (options === undefined) return undefined
  const { KafkaWorkQueue } = await import('#packages/adapters/kafka/work-queue.ts')
  return new KafkaWorkQueue({ ...options, log: ports.log, onDeadLetter: countDeadLetters(ports) })
}

const countDeadLetters =
  ({ telemetry }: Pick<Ports, 'telemetry'>) =>
  (step: Step): void =>
    telemetry.add(metrics.deadLetters, 1, { [names.step]: step })

/** How the work queue connects to its brokers; undefined if none are configured. */
export function kafkaOptionsOf(config: Config): Omit<KafkaWorkQueueOptions, 'log' | 'onDeadLetter'> | undefined {
  const { kafkaBrokers: brokers, kafkaUsername: username, kafkaPassword: password } = config
  if (brokers === undefined) return undefined
  const mechanism = config.kafkaSaslMechanism as NonNullable<KafkaWorkQueueOptions['login']>['mechanism']
  return {
    brokers,
    tls: config.kafkaSsl === 'true',
    ...(username !== undefined && password !== undefined && { login: { mechanism, username, password } }),
    partitions: config.kafkaPartitions,
    replication: config.kafkaReplication,
    prefix: config.kafkaPrefix,
  }
}

/** The engines in use, for the person who started the service. */
export function enginesOf({ eventStoreUrl, kafkaBrokers, mongodbUrl }: Config): string {
  const [events, views] = [eventStoreUrl ? 'EventStoreDB' : 'SQLite', mongodbUrl ? 'MongoDB' : 'SQLite']
  const both = events === views ? `events and views in ${events}` : `events in ${events}, views in ${views}`
  return `${both}, work queue in ${kafkaBrokers ? 'Kafka' : 'memory'}`
}

const storeDependency = (store: EventStore, look: () => Promise<unknown>): Dependency => ({
  name: 'the event store',
  async look() {
    const problem = store.integrityProblem()
    if (problem !== undefined) return problem
    await look()
    return store.integrityProblem()
  },
})

const accountsDependency = (accounts: Accounts): Dependency => ({
  name: 'the database of the accounts',
  async look() {
    await accounts.get('nobody')
    return undefined
  },
})

const viewsDependency = (views: Views): Dependency => ({
  name: 'the database of the views',
  async look() {
    await views.getNotes(['nothing'])
    return views.problem()
  },
})
