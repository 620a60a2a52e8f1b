import type { EventData } from '#contracts/generated/events.ts'
import type { Lane } from '../job/events.ts'

export type Plan = EventData['PlanChanged']['plan']

/** Credits given once, at sign-up. */
export const SIGN_UP_CREDITS = 50

/**
 * The limits and credits of each plan (specification, Plans). `webhooks`: the most endpoints, plus the hosts that a
 * day's jobs name. `batchItems`: the most items in one batch. `watches`: the most watches. `watchEverySeconds`: the
 * shortest interval between looks of a watch.
 */
export const plans: Record<
  Plan,
  {
    /** The displayed name. */
    name: string
    /** US dollars a month. */
    price: number
    monthlyCredits: number
    heavyRequestsPerMinute: number
    lane: Lane
    webhooks: number
    batchItems: number
    watches: number
    watchEverySeconds: number
  }
> = {
  free: {
    name: 'Free',
    price: 0,
    monthlyCredits: 0,
    heavyRequestsPerMinute: 30,
    lane: 'standard',
    webhooks: 2,
    batchItems: 20,
    watches: 3,
    watchEverySeconds: 86_400,
  },
  starter: {
    name: 'Starter',
    price: 9,
    monthlyCredits: 500,
    heavyRequestsPerMinute: 60,
    lane: 'standard',
    webhooks: 10,
    batchItems: 500,
    watches: 20,
    watchEverySeconds: 3600,
  },
  pro: {
    name: 'Pro',
    price: 29,
    monthlyCredits: 2000,
    heavyRequestsPerMinute: 120,
    lane: 'priority',
    webhooks: 50,
    batchItems: 2000,
    watches: 100,
    watchEverySeconds: 900,
  },
}

/** The most items of one batch. @param largest the operator's limit for the largest plan */
export const mostItemsOf = (plan: Plan, largest: number): number => (plan === 'pro' ? largest : plans[plan].batchItems)
