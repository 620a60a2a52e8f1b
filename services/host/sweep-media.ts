import type { MediaCache } from '#packages/content/media/media-cache.ts'
import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** How long a file may stay on disk beyond its age limit (MEDIA_CACHE_SECONDS), milliseconds. */
const EVERY_MS = 10 * 60 * 1000

/** Regularly removes files that are too old from the media cache, until it is disposed of. */
export const sweepMedia = (
  cache: Pick<MediaCache, 'sweep'>,
  { clock, log }: { clock: Clock; log: Logger },
): AsyncDisposable =>
  untilDisposed(async (signal) => {
    while (!signal.aborted) {
      await clock.sleep(EVERY_MS, signal).catch(() => {})
      if (signal.aborted) return
      await cache.sweep().catch((err: unknown) => log.warn({ err }, 'the media cache could not be swept'))
    }
  })
