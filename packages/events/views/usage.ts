import type { StoredEvent } from '#packages/ports/event-store.ts'
import { dayOf } from './daily-use.ts'
import { goneWith, type Projection } from './projection.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** The number of settled jobs, and their credits. */
export type Cost = { jobs: number; charged: number; refunded: number }

/** Costs by group, such as by the name of a platform. */
export type Costs = Readonly<Record<string, Cost>>

/**
 * The costs of one organization's jobs that were settled on one day (UTC), computed only from the settlements. The id
 * is `ORG/DAY`. Each grouping includes all jobs of the day.
 */
export type UsageDocument = {
  orgId: string
  /** The first instant of the day, milliseconds since 1970. */
  startsAt: number
  operation: Costs
  key: Costs
  platform: Costs
}

/** The group of jobs without a key, such as those of the dashboard. */
export const UNKNOWN = 'unknown'

export const nothingSpent: Cost = { jobs: 0, charged: 0, refunded: 0 }

export const sumOf = (one: Cost, other: Cost): Cost => ({
  jobs: one.jobs + other.jobs,
  charged: one.charged + other.charged,
  refunded: one.refunded + other.refunded,
})

const added = (costs: Costs | undefined, group: string | null, cost: Cost): Costs => {
  const name = group ?? UNKNOWN
  return { ...costs, [name]: sumOf(costs?.[name] ?? nothingSpent, cost) }
}

function after(event: StoredEvent & { type: 'CreditsSettled' }, current: UsageDocument | undefined): UsageDocument {
  const { charged, refunded, operation, keyId, platform } = event.data
  const cost = { jobs: 1, charged, refunded }
  return {
    orgId: event.metadata.orgId,
    startsAt: event.recordedAt - (event.recordedAt % DAY_MS),
    operation: added(current?.operation, operation, cost),
    key: added(current?.key, keyId, cost),
    platform: added(current?.platform, platform, cost),
  }
}

export const usage: Projection<UsageDocument> = {
  name: 'usage',
  prefixes: ['credits-'],
  collection: { pages: [{ where: ['orgId'], by: 'startsAt' }] },
  changeOf(event) {
    if (event.type !== 'CreditsSettled') return undefined
    const id = `${event.stream.slice('credits-'.length)}/${dayOf(event.recordedAt)}`
    return {
      id,
      written: 'later',
      next(current) {
        return after(event, current)
      },
    }
  },
  removedWith: goneWith('credits-', (orgId) => ({ idPrefix: `${orgId}/` })),
}
