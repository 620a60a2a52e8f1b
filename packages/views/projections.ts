import { balances } from './balances.ts'
import { dailyUse, organizationUse } from './daily-use.ts'
import { deliveries } from './deliveries.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import type { Projection } from './projection.ts'
import { usage } from './usage.ts'
import { webhooks } from './webhooks.ts'

/** Every view that the service keeps. */
export const projections = [
  jobs,
  keys,
  balances,
  usage,
  dailyUse,
  organizationUse,
  webhooks,
  deliveries,
] as unknown as readonly Projection[]
