import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** Minimum average rate once the host has begun to send, bytes per second over every `paceSeconds`. */
const MIN_BYTES_PER_SECOND = 32 * 1024
const MAX_DOWNLOAD_SECONDS = 120

export type PaceLimits = {
  /** Period over which the rate is averaged, seconds: a host may pause for about as long. */
  paceSeconds?: number
}

/** Does the work of one download. It calls `count` with the number of bytes as they arrive. */
type Work<T> = (signal: AbortSignal, count: (bytes: number) => void) => Promise<T>

/**
 * Ends a download that is too slow or takes too long: a slow host would hold its slot until the deadline.
 * @throws StepError transient `upstream_error` in these cases; what the work throws; the signal's reason when aborted
 */
export async function keepPace<T>(
  work: Work<T>,
  { clock, signal, ...limits }: PaceLimits & { clock: Clock; signal: AbortSignal },
): Promise<T> {
  const slow = new AbortController()
  const ended = new AbortController()
  let received = 0
  const watching = watch({ clock, ...limits }, () => received, ended.signal).then(
    (reason) => slow.abort(reason),
    // the work ended first
    () => undefined,
  )
  try {
    return await work(AbortSignal.any([signal, slow.signal]), (bytes) => {
      received += bytes
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw slow.signal.aborted ? slow.signal.reason : error
  } finally {
    ended.abort()
    await watching
  }
}

/** Resolves with the failure when the download must end. @throws the signal's reason if the download ended first */
async function watch(
  { clock, paceSeconds = 10 }: PaceLimits & { clock: Clock },
  received: () => number,
  ended: AbortSignal,
): Promise<StepError> {
  const endsAt = clock.now() + MAX_DOWNLOAD_SECONDS * 1000
  for (;;) {
    const before = received()
    const begins = clock.now()
    await clock.sleep(Math.min(paceSeconds * 1000, endsAt - begins), ended)
    if (clock.now() >= endsAt) return tooSlow('The download of the file took too long.')
    const least = (MIN_BYTES_PER_SECOND * (clock.now() - begins)) / 1000
    // a wait for the first byte is bounded by the egress route
    if (before > 0 && received() - before < least) return tooSlow('The host of the file sends it too slowly.')
  }
}

const tooSlow = (message: string): StepError => new StepError('upstream_error', { transient: true, message })
