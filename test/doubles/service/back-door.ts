import { join } from 'node:path'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

/** The reason of settlements that only use up credits. */
export const SPENT_BEFORE = 'spent before the test'

/**
 * The back door of a service under test: its event store, which this process also opens, as `npm run org` does. Tests
 * use it to make organizations quickly, and to read what the service has written.
 */
export class BackDoor implements AsyncDisposable {
  readonly store: EventStore
  readonly ledgers: Ledgers

  /** @param store belongs to the back door from now on, which closes it */
  constructor(store: EventStore) {
    this.store = store
    this.ledgers = new Ledgers({ store, clock, ids })
  }

  static async open({ env, dataDir }: { env: Record<string, string>; dataDir: string }): Promise<BackDoor> {
    const url = env.EVENT_STORE_URL
    if (url !== undefined) return new BackDoor(openEventStoreDb(url))
    return new BackDoor(await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') }))
  }

  /** Registers an organization. `credits`: how many of its plan's credits it has left. */
  async organization({ plan = 'free', credits }: { plan?: Plan; credits?: number } = {}) {
    const organizations = new Organizations({ store: this.store, clock, ids, ledgers: this.ledgers })
    const made = await organizations.create('An organization', plan)
    if (credits !== undefined) await this.spend(made.orgId, (await this.balance(made.orgId)) - credits)
    return made
  }

  async balance(orgId: string): Promise<number> {
    return (await this.ledgers.current(orgId)).balance
  }

  /** Debits and settles credits as a past job would have done. */
  async spend(orgId: string, credits: number): Promise<void> {
    const jobId = ids.uuid()
    const metadata = { orgId, correlationId: jobId, causationId: jobId, traceparent: newTraceparent(true) }
    await this.ledgers.execute(orgId, { command: debit(jobId, credits), metadata })
    const settle = { type: 'settle', jobId, charged: credits, reason: SPENT_BEFORE } as const
    await this.ledgers.execute(orgId, { command: settle, metadata })
  }

  async grant(orgId: string, credits: number): Promise<void> {
    const metadata = { orgId, correlationId: orgId, causationId: orgId, traceparent: newTraceparent(true) }
    await this.ledgers.execute(orgId, { command: { type: 'grant', credits, by: 'test' }, metadata })
  }

  /** Every event ever written, in order. */
  async events(): Promise<StoredEvent[]> {
    const { events } = await this.#read()
    return events
  }

  /** The position of the last event. */
  async end(): Promise<number> {
    const { position } = await this.#read()
    return position
  }

  async #read(): Promise<{ events: StoredEvent[]; position: number }> {
    const prefixes = ['organization-', 'key-', 'credits-', 'job-', 'removal-', 'requests-']
    const stop = new AbortController()
    const events: StoredEvent[] = []
    for await (const batch of this.store.follow({ after: 0, prefixes, signal: stop.signal })) {
      events.push(...batch.events)
      if (batch.caughtUp) return { events, position: batch.position }
    }
    throw new Error('the feed ended')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]()
  }
}
