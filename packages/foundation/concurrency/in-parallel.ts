/**
 * Runs `work` over the items, at most `limit` at a time, and returns the results in the order of the items. The first
 * failure aborts the signal of the others. It is thrown once they have ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal | undefined,
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const failed = new AbortController()
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal])
  const results: R[] = []
  const queue = items.entries()
  async function drain(): Promise<void> {
    for (const [i, item] of queue) {
      either.throwIfAborted()
      results[i] = await work(item, either)
    }
  }
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(limit, items.length) }, () =>
      drain().catch((error) => {
        if (!failed.signal.aborted) failed.abort(error)
        throw error
      }),
    ),
  )
  signal?.throwIfAborted()
  if (ends.some(({ status }) => status === 'rejected')) throw failed.signal.reason
  return results
}
