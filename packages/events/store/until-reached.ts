import type { Clock } from '#packages/ports/clock.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { ViewsUnreadableError } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** The pauses double. The views of a first start are made within the first of them. */
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 1000

/**
 * Reads, and retries while a server behind a port does not answer. Undefined if the signal is aborted first.
 * @param what cannot be read, for the log
 */
export async function untilReached<T>(
  { clock, log }: { clock: Clock; log: Logger },
  what: string,
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      // Every first start makes the views.
      if (error instanceof ViewsUnreadableError) log.info({}, `${what} wait: ${error.message}`)
      else log.warn({ err: error }, `${what} cannot be read; trying again`)
      await clock.sleep(pauseMs, signal).catch(() => {})
    }
  }
  return undefined
}
