import { pino } from 'pino'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { noOptions } from '#packages/domain/job/events.ts'
import { operator } from '#packages/domain/key/key.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { projections } from '#packages/events/views/projections.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { createAcceptance } from '#packages/jobs/acceptance/create-acceptance.ts'
import { type WatchApplication, Watches } from '#packages/jobs/watches/watches.ts'
import type { SourceItem } from '#packages/platforms/sources/read-source.ts'
import { parseSource } from '#packages/platforms/sources/source.ts'
import { streams } from '#packages/ports/ids.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { ViewsOwner } from '#services/projections/views-owner.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { WatchOwner } from './watch-owner.ts'

const log = pino({ level: 'silent' })
export const HOUR_MS = 60 * 60 * 1000
export const DAY_MS = 24 * HOUR_MS
const STEP_MS = 7.5 * 60 * 1000

export const transcript: NonNullable<WatchApplication['request']> = {
  kind: 'transcript',
  mode: 'native',
  lang: null,
  prompt: null,
  schema: null,
  options: noOptions,
}

export const channel: WatchApplication = {
  source: parseSource({ type: 'channel', handle: 'name' }),
  every: '1h',
  request: null,
  maxCreditsPerMonth: null,
  backfill: 0,
}

/**
 * A service in memory with a clock that the test moves, and a source with the videos that the test sets. No worker runs
 * its jobs.
 */
export class House {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1))
  readonly store = new MemoryEventStore({ clock: this.clock })
  readonly views = new MemoryViews({ clock: this.clock, definition, documents: new MemoryDocuments() })
  readonly ledgers = new Ledgers({ store: this.store, clock: this.clock, ids })
  readonly watches = new Watches({ store: this.store, views: this.views, clock: this.clock, ids })
  /** The dates of videos that have none in the list, by URL. */
  readonly dates = new Map<string, number>()
  reads = 0
  /** The videos of the source, newest first. May throw. */
  items: () => SourceItem[] = () => []
  seenAt: number | null = null
  readonly #end = new AbortController()
  readonly #running: Promise<void>[] = []

  constructor() {
    const ports = { store: this.store, views: this.views, clock: this.clock, log, telemetry: noTelemetry }
    const owner = new ViewsOwner({ ...ports, ownership: new MemoryOwnership() }, projections)
    this.#running.push(owner.run(this.#end.signal))
  }

  /** Starts an owner. @returns a function that kills it */
  start(): () => Promise<void> {
    const { store, views, clock, ledgers } = this
    const end = new AbortController()
    const ports = { store, views, clock, ledgers, ids, log, telemetry: noTelemetry }
    const { acceptance } = createAcceptance(ports, ingressDefaults)
    const owner = new WatchOwner(
      { ...ports, ownership: new MemoryOwnership() },
      {
        acceptance,
        readSource: async () => {
          this.reads += 1
          return { items: this.items(), next: null }
        },
        dateOf: async (url) => this.dates.get(url) ?? null,
        seenAt: async () => this.seenAt,
      },
    )
    const running = owner.run(AbortSignal.any([end.signal, this.#end.signal]))
    this.#running.push(running)
    return async () => {
      end.abort()
      await running
    }
  }

  /** Advances time in steps of some minutes: nothing here waits for less. */
  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms
    while (this.clock.now() < until) await this.clock.jump(Math.min(STEP_MS, until - this.clock.now()))
  }

  async organization(orgId: string, plan: Plan, credits: number): Promise<void> {
    await this.write(streams.credits(orgId), orgId, {
      type: 'CreditsGranted',
      data: { credits, reason: 'adjustment', by: 'command' },
    })
    if (plan !== 'free')
      await this.write(streams.credits(orgId), orgId, { type: 'PlanChanged', data: { plan, by: 'command' } })
  }

  async write(stream: string, orgId: string, ...events: DomainEvent[]): Promise<void> {
    const last = (await this.store.read(stream)).at(-1)?.revision ?? 'no-stream'
    const metadata = this.metadata(orgId)
    await this.store.append(
      stream,
      last,
      events.map((event) => ({ ...event, id: ids.uuid(), metadata })),
    )
    await settle()
  }

  metadata(orgId: string) {
    const request = ids.uuid()
    return { orgId, correlationId: request, causationId: request, traceparent: newTraceparent(false) }
  }

  async watch(orgId: string, application: Partial<WatchApplication> = {}, keyId: string | null = null) {
    const by = { ...operator, keyId }
    const asking = { by, plan: 'pro' as const, metadata: this.metadata(orgId) }
    return (await this.watches.create({ ...channel, ...application }, undefined, asking)).watchId
  }

  /** The requested jobs by URL, with the credits debited for each. */
  async jobsOf(orgId: string): Promise<{ urls: string[]; credits: number }> {
    const ledger = await this.store.read(streams.credits(orgId))
    const urls: string[] = []
    let credits = 0
    for (const { type, data } of ledger) {
      if (type !== 'CreditsDebited') continue
      credits += data.credits
      const [first] = await this.store.read(streams.job(data.jobId))
      if (first?.type === 'JobRequested') urls.push(first.data.url)
    }
    return { urls, credits }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
    await Promise.all(this.#running)
  }
}

/** A YouTube video. Without a date, its list shows none. */
export function video(n: number, publishedAt: number | null = null): SourceItem {
  const id = `video${String(n).padStart(6, '0')}`
  return { id: `youtube:${id}`, url: `https://www.youtube.com/watch?v=${id}`, title: `Video ${n}`, publishedAt }
}
