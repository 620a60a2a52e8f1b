import { type Plan, plans } from '../credits/plans.ts'

/** A balance is low below this fraction of the plan's monthly credits. */
const SHARE = 0.1

/** A balance is low below this many credits in any plan. */
const FEW = 10

/** The balance below which an organization is notified that its credits run low. */
export const lowBelow = (plan: Plan): number => Math.max(FEW, plans[plan].monthlyCredits * SHARE)
