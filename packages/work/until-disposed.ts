/** Work that goes on until it is disposed of, and has ended then. */
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
