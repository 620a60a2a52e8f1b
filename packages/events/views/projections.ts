import { balances } from './balances.ts'
import { batches } from './batches.ts'
import { dailyUse, organizationUse } from './daily-use.ts'
import { deliveries } from './deliveries.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import type { Projection } from './projection.ts'
import { usage } from './usage.ts'
import { watches } from './watches.ts'
import { webhooks } from './webhooks.ts'

/** Every view of the service. */
export const projections = [
  jobs,
  keys,
  balances,
  usage,
  dailyUse,
  organizationUse,
  webhooks,
  deliveries,
  batches,
  watches,
] as unknown as readonly Projection[]
