import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for the work for this long, milliseconds, or until the signal is aborted. The work continues.
 * @returns undefined if it has not ended by then @throws its error
 */
export async function atMost<T>(
  ms: number,
  work: Promise<T> | undefined,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const over = new AbortController()
  const end = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
  try {
    return await Promise.race([work, sleep(ms, undefined, { signal: end }).catch(() => undefined)])
  } finally {
    over.abort()
  }
}
