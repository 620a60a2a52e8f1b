import type { EventData } from '#contracts/generated/events.ts'
import type { Lane } from '../job/events.ts'

export type Plan = EventData['PlanChanged']['plan']

/** Credits given once, at sign-up. */
export const SIGN_UP_CREDITS = 50

/** What a plan gives (specification, Plans). */
export const plans: Record<Plan, { monthlyCredits: number; heavyRequestsPerMinute: number; lane: Lane }> = {
  free: { monthlyCredits: 0, heavyRequestsPerMinute: 30, lane: 'standard' },
  starter: { monthlyCredits: 500, heavyRequestsPerMinute: 60, lane: 'standard' },
  pro: { monthlyCredits: 2000, heavyRequestsPerMinute: 120, lane: 'priority' },
}
