import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { KafkaWorkQueue } from '#packages/adapters/kafka/work-queue.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { perStep } from '#packages/domain/job/events.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { SHARDS, type Shard, withShardOf } from '#packages/ports/shards.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { completed, traceparent } from './orchestrator.harness.ts'
import { ShardOwner } from './shard-owner.ts'

const ORGANIZATIONS = 1000
const AT_ONCE = 50
/** How far the share of one orchestrator may be from an equal one. */
const TOLERANCE = 0.25
const log = createLog('test', 'silent')
/** The store is in the process of the test, which may stand still for some seconds. */
const openStore = (url: string): EventStore => openEventStoreDb(url, { deadlineMs: 30_000, patienceMs: 60_000 })

/** One process of the orchestrator, with connections of its own. */
class Process implements AsyncDisposable {
  shards: ReadonlySet<Shard> = new Set()
  /** Events that the store has sent it. */
  delivered = 0
  settlements = 0
  readonly #end = new AbortController()
  readonly #owner: ShardOwner
  readonly #running: Promise<void>
  readonly #store: EventStore
  readonly #queue: KafkaWorkQueue

  constructor(storeUrl: string, brokers: string[], prefix: string) {
    const store = openStore(storeUrl)
    const queue = new KafkaWorkQueue({ brokers, log, partitions: 1, replication: 1, prefix })
    this.#store = store
    this.#queue = queue
    this.#count(store)
    const views = new MemoryViews({ clock, definition })
    const ledgers = new Ledgers({ store, clock, ids })
    const ownership = { owned: (signal: AbortSignal) => this.#noted(queue.shards.owned(signal)) }
    const ports = { store, views, clock, ledgers, ids, log, queue, telemetry: noTelemetry, ownership }
    this.#owner = new ShardOwner(ports, { slots: perStep(() => 10), windowSeconds: 180, releaseClaimsAtStart: false })
    this.#running = this.#owner.run(this.#end.signal)
  }

  /** Whether it has shards and knows what has happened in them. */
  get isAtWork(): boolean {
    return this.shards.size > 0 && this.#owner.lag.behindMs === undefined
  }

  #count(store: EventStore): void {
    const follow = store.follow.bind(store)
    const noted = (types: string[]): void => {
      this.delivered += types.length
      this.settlements += types.filter((type) => type === 'CreditsSettled').length
    }
    store.follow = async function* (options) {
      for await (const batch of follow(options)) {
        noted(batch.events.map(({ type }) => type))
        yield batch
      }
    }
  }

  async *#noted(owned: AsyncIterable<ReadonlySet<Shard>>): AsyncIterable<ReadonlySet<Shard>> {
    for await (const shards of owned) {
      yield shards
      // Asked for the next ones: it has begun with these.
      this.shards = shards
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
    await this.#running
    await this.#queue[Symbol.asyncDispose]()
    await this.#store[Symbol.asyncDispose]()
  }
}

describeOn('kafka', (url) => {
  describe('orchestrators that share the shards', function () {
    this.timeout(180_000)

    it('are sent about equal parts of the events, and each event once, by two and by three', async () => {
      await using end = new AsyncDisposableStack()
      const folder = end.use(await temporaryDirectory())
      const double = end.use(await startEventStoreDouble({ path: join(folder.path, 'log.sqlite') }))
      const store = end.use(openStore(double.url))
      const ledgers = new Ledgers({ store, clock, ids })
      const orgs = Array.from({ length: ORGANIZATIONS }, () => randomUUID())
      const metadata = (orgId: string, jobId: string) => ({
        orgId,
        correlationId: jobId,
        causationId: 'test',
        traceparent,
      })
      const forEach = async (work: (orgId: string) => Promise<void>): Promise<void> => {
        const left = orgs.values()
        const drain = async () => {
          for (const orgId of left) await work(orgId)
        }
        await Promise.all(Array.from({ length: AT_ONCE }, drain))
      }
      const oneJob = async (orgId: string): Promise<void> => {
        const jobId = withShardOf(orgId, randomUUID())
        await ledgers.execute(orgId, { command: debit(jobId, 5), metadata: metadata(orgId, jobId) })
        const data = jobRequested({ orgId, mode: 'generate' })
        const events = [{ type: 'JobRequested' as const, data }, completed(orgId)]
        const appended = events.map((event) => ({ ...event, id: randomUUID(), metadata: metadata(orgId, jobId) }))
        await store.append(streams.job(jobId), 'no-stream', appended)
      }
      await forEach(async (orgId) => {
        await ledgers.execute(orgId, { command: { type: 'register' }, metadata: metadata(orgId, 'sign-up') })
      })

      const prefix = `test-${randomUUID()}`
      const processes: Process[] = []
      const start = (): void => void processes.push(end.use(new Process(double.url, url.split(','), prefix)))
      start()
      for (const count of [2, 3]) {
        start()
        await until(`${count} share the shards`, () => {
          const owned = processes.flatMap(({ shards }) => [...shards])
          return (
            owned.length === SHARDS && new Set(owned).size === SHARDS && processes.every(({ isAtWork }) => isAtWork)
          )
        })
        for (const one of processes) Object.assign(one, { delivered: 0, settlements: 0 })
        await forEach(oneJob)
        const sum = (of: (one: Process) => number): number => processes.reduce((all, one) => all + of(one), 0)
        await until('all jobs are settled', () => sum(({ settlements }) => settlements) >= ORGANIZATIONS, {
          seconds: 60,
        })
        // A debit, a request, an end and a settlement.
        expect(sum(({ delivered }) => delivered)).to.equal(4 * ORGANIZATIONS)
        for (const { delivered } of processes)
          expect(delivered / ((4 * ORGANIZATIONS) / count)).to.be.within(1 - TOLERANCE, 1 + TOLERANCE)
      }
    })
  })
})
