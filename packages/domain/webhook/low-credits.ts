import { type Plan, plans } from '../credits/plans.ts'

/** A balance is low below this share of what the plan gives in a month. */
const SHARE = 0.1

/** It is low below so many credits in any plan. */
const FEW = 10

/** Below how many credits an organization is told that they run out. */
export const lowBelow = (plan: Plan): number => Math.max(FEW, plans[plan].monthlyCredits * SHARE)
