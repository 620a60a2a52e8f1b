import type { EventData } from '#contracts/generated/events.ts'
import type { Lane } from '../job/events.ts'

export type Plan = EventData['PlanChanged']['plan']

/** Credits given once, at sign-up. */
export const SIGN_UP_CREDITS = 50

/** What a plan gives (specification, Plans). `webhooks`: endpoints, and hosts that jobs of a day name, together. */
export const plans: Record<
  Plan,
  { monthlyCredits: number; heavyRequestsPerMinute: number; lane: Lane; webhooks: number }
> = {
  free: { monthlyCredits: 0, heavyRequestsPerMinute: 30, lane: 'standard', webhooks: 2 },
  starter: { monthlyCredits: 500, heavyRequestsPerMinute: 60, lane: 'standard', webhooks: 10 },
  pro: { monthlyCredits: 2000, heavyRequestsPerMinute: 120, lane: 'priority', webhooks: 50 },
}
