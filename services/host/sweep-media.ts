import type { MediaCache } from '#packages/media/media-cache.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** So much longer than its age (MEDIA_CACHE_SECONDS) a file may stay on disk, milliseconds. */
const EVERY_MS = 10 * 60 * 1000

/** Removes files that are too old from the media cache, now and then, until it is disposed of. */
export function sweepMedia(
  cache: Pick<MediaCache, 'sweep'>,
  { clock, log }: { clock: Clock; log: Logger },
): AsyncDisposable {
  const end = new AbortController()
  const sweeping = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await clock.sleep(EVERY_MS, end.signal).catch(() => {})
      if (end.signal.aborted) return
      await cache.sweep().catch((err: unknown) => log.warn({ err }, 'the media cache could not be swept'))
    }
  }
  const running = sweeping()
  return {
    [Symbol.asyncDispose]() {
      end.abort()
      return running
    },
  }
}
