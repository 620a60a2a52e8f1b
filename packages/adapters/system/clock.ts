import type { Clock } from '#packages/ports/clock.ts'

/** The longest timer of Node, milliseconds. A longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1

function sleepOnce(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    let left = ms
    for (; left > longestTimerMs; left -= longestTimerMs) await sleepOnce(longestTimerMs, signal)
    await sleepOnce(left, signal)
  },
}
