import { balances } from './balances.ts'
import { dailyUse } from './daily-use.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import type { Projection } from './projection.ts'

/** Every view that the service keeps. */
export const projections = [jobs, keys, balances, dailyUse] as unknown as readonly Projection[]
