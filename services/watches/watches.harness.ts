import type { Plan } from '#packages/domain/credits/plans.ts'
import { noOptions } from '#packages/domain/job/events.ts'
import { operator } from '#packages/domain/key/key.ts'
import { createAcceptance } from '#packages/jobs/acceptance/create-acceptance.ts'
import { type WatchApplication, Watches } from '#packages/jobs/watches/watches.ts'
import type { SourceItem } from '#packages/platforms/sources/read-source.ts'
import { parseSource } from '#packages/platforms/sources/source.ts'
import { streams } from '#packages/ports/ids.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { OwnerHouse } from '#test/doubles/owner-house.ts'
import { WatchOwner } from './watch-owner.ts'

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
export class House extends OwnerHouse {
  readonly watches = new Watches(this.ports)
  /** The dates of videos that have none in the list, by URL. */
  readonly dates = new Map<string, number>()
  reads = 0
  /** The videos of the source, newest first. May throw. */
  items: () => SourceItem[] = () => []
  seenAt: number | null = null

  /** Starts an owner. @returns a function that kills it */
  start(): () => Promise<void> {
    const { ports } = this
    const { acceptance } = createAcceptance(ports, ingressDefaults)
    const owner = new WatchOwner(ports, {
      acceptance,
      readSource: async () => {
        this.reads += 1
        return { items: this.items(), next: null }
      },
      dateOf: async (url) => this.dates.get(url) ?? null,
      seenAt: async () => this.seenAt,
    })
    return this.run(owner)
  }

  /** Advances time in steps of some minutes: nothing here waits for less. */
  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms
    while (this.clock.now() < until) await this.clock.jump(Math.min(STEP_MS, until - this.clock.now()))
  }

  async organization(orgId: string, plan: Plan, credits: number): Promise<void> {
    await this.append(orgId, streams.credits(orgId), {
      type: 'CreditsGranted',
      data: { credits, reason: 'adjustment', by: 'command' },
    })
    if (plan !== 'free')
      await this.append(orgId, streams.credits(orgId), { type: 'PlanChanged', data: { plan, by: 'command' } })
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
}

/** A YouTube video. Without a date, its list shows none. */
export function video(n: number, publishedAt: number | null = null): SourceItem {
  const id = `video${String(n).padStart(6, '0')}`
  return { id: `youtube:${id}`, url: `https://www.youtube.com/watch?v=${id}`, title: `Video ${n}`, publishedAt }
}
