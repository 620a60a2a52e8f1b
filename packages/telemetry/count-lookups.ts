import { metrics } from './metrics.ts'
import { names } from './names.ts'
import type { Telemetry } from './telemetry.ts'

/** Caches with counted lookups. */
export type CountedCacheName = 'metadata' | 'searches' | 'profiles' | 'lists' | 'media' | 'transcripts' | 'frames'

/** Counts the lookups of a cache. A hit is served without a read, a download or other work. */
export const countLookups =
  (telemetry: Telemetry, cache: CountedCacheName) =>
  (isHit: boolean): void =>
    telemetry.add(metrics.cacheLookups, 1, { [names.cache]: cache, [names.isHit]: isHit })
