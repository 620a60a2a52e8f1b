import { decorated } from '#packages/ports/decorated.ts'
import { type CountedCacheName, countLookups } from '#packages/telemetry/count-lookups.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Download, MediaCache } from './media-cache.ts'

/** The same cache with counted lookups, under the name of its content. */
export const countedMediaCache =
  (name: CountedCacheName) =>
  (cache: MediaCache, telemetry: Telemetry): MediaCache => {
    const count = countLookups(telemetry, name)
    return decorated(cache, {
      async use(key, download, signal, organization) {
        let isHit = true
        const own: Download = (...given) => {
          isHit = false
          return download(...given)
        }
        const file = await cache.use(key, own, signal, organization)
        count(isHit)
        return file
      },
    })
  }
