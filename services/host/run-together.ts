/** Something that works until it is told to stop. */
export type Runnable = { run(signal: AbortSignal): Promise<void> }

/** Several of them, of which none can do without the others. */
export type Running = AsyncDisposable & {
  /** Resolves when `stop` is aborted. @throws what the first of them to fail has thrown */
  ended: Promise<void>
  /** Waits for all of `events`, but no longer than everybody runs. @throws as `ended` does */
  whenAll(events: (Promise<void> | undefined)[]): Promise<void>
}

/** Runs everything until `stop` is aborted or one of them fails; disposing stops all and waits for them. */
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
  // Whoever waits for it is told; until somebody does, a failure is not an unhandled rejection.
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
