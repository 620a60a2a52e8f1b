/** Something that runs until its signal is aborted. */
export type Runnable = { run(signal: AbortSignal): Promise<void> }

/** Several runnables that run together: if one fails, all end. */
export type Running = AsyncDisposable & {
  /** Resolves when `stop` is aborted. @throws the error of the first one that fails */
  ended: Promise<void>
  /** Waits for all of `events`, or for `ended`. @throws as `ended` does */
  whenAll(events: (Promise<void> | undefined)[]): Promise<void>
}

/** Runs everything until `stop` is aborted or one of them fails. Disposing stops all and waits for them. */
export function runTogether(runnables: readonly Runnable[], stop: AbortSignal): Running {
  const end = new AbortController()
  const signal = AbortSignal.any([stop, end.signal])
  const runs = runnables.map((runnable) => runnable.run(signal))
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const failed = Promise.all(runs).then(() => stopped)
  const ended = Promise.race([stopped, failed])
  // A failure before the first await of `ended` must not be an unhandled rejection.
  ended.catch(() => {})
  return {
    ended,
    async whenAll(events) {
      await Promise.race([Promise.all(events), ended])
    },
    async [Symbol.asyncDispose]() {
      end.abort()
      await Promise.allSettled(runs)
    },
  }
}
