import { pino } from 'pino'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { projections } from '#packages/events/views/projections.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { ViewsOwner } from '#services/projections/views-owner.ts'
import { ManualClock, settle } from './manual-clock.ts'
import { MemoryEventStore } from './memory-event-store.ts'

/** A store with its views in memory, and a clock that the test moves, for owners that the test starts and kills. */
export class OwnerHouse {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1))
  readonly store = new MemoryEventStore({ clock: this.clock })
  readonly views = new MemoryViews({ clock: this.clock, definition, documents: new MemoryDocuments() })
  readonly ledgers = new Ledgers({ store: this.store, clock: this.clock, ids })
  readonly #end = new AbortController()
  readonly #running: Promise<void>[] = []

  constructor() {
    this.run(new ViewsOwner(this.ports, projections))
  }

  /** What an owner works with. Each has an ownership of its own. */
  get ports() {
    const { store, views, clock, ledgers } = this
    const log = pino({ level: 'silent' })
    return { store, views, clock, ledgers, ids, log, telemetry: noTelemetry, ownership: new MemoryOwnership() }
  }

  /** @returns a function that kills the owner */
  run(owner: { run(signal: AbortSignal): Promise<void> }): () => Promise<void> {
    const end = new AbortController()
    const running = owner.run(AbortSignal.any([end.signal, this.#end.signal]))
    this.#running.push(running)
    return async () => {
      end.abort()
      await running
    }
  }

  metadata(orgId: string) {
    const request = ids.uuid()
    return { orgId, correlationId: request, causationId: request, traceparent: newTraceparent(false) }
  }

  async append(orgId: string, stream: string, ...events: DomainEvent[]): Promise<void> {
    const last = (await this.store.read(stream)).at(-1)?.revision ?? 'no-stream'
    const metadata = this.metadata(orgId)
    await this.store.append(
      stream,
      last,
      events.map((event) => ({ ...event, id: ids.uuid(), metadata })),
    )
    await settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
    await Promise.all(this.#running)
  }
}
