/** Runs work until it is disposed of. Disposing waits for its end. */
export function untilDisposed(work: (signal: AbortSignal) => Promise<void>): AsyncDisposable {
  const end = new AbortController()
  const running = work(end.signal)
  return {
    [Symbol.asyncDispose]() {
      end.abort()
      return running
    },
  }
}
