/** Called with true when a wait begins, such as for an organization's share, and with false when it is over. */
export type OnWait = (waits: boolean) => void

/** A caller that may share the work with others. */
export type Sharer = {
  signal: AbortSignal
  /** Undefined: an operator. */
  organization?: string | undefined
  onWait?: OnWait | undefined
}

type Caller = { organization: string; onWait: OnWait | undefined; leave(): void }
type Flight<T> = { owner: string; result: Promise<T>; abort: AbortController; callers: Set<Caller>; waits: boolean }

const LEFT = Symbol('left')

/**
 * Single flight: callers with the same key at the same time share one piece of work. While the work waits for the share
 * of the organization that began it, callers of other organizations leave it and begin their own.
 */
export class SingleFlight<T = void> {
  readonly #running = new Map<string, Set<Flight<T>>>()

  /**
   * Joins the work of `key`, or begins it. If the last caller gives up, the work is aborted, and that caller waits
   * until it has stopped.
   * @param work must call `onWait` when it starts or stops waiting for its organization's share
   * @throws what the work throws; the signal's reason
   */
  async run(key: string, sharer: Sharer, work: (signal: AbortSignal, onWait: OnWait) => Promise<T>): Promise<T> {
    for (;;) {
      sharer.signal.throwIfAborted()
      const organization = sharer.organization ?? ''
      const flight = this.#joinable(key, organization) ?? this.#begin(key, organization, work)
      const end = await this.#endOf(flight, key, sharer)
      if (end !== LEFT) return end
    }
  }

  /** A flight to join: one that is not waiting, else one that waits for the caller's own share. */
  #joinable(key: string, organization: string): Flight<T> | undefined {
    const flights = [...(this.#running.get(key) ?? [])]
    return flights.find(({ waits }) => !waits) ?? flights.find(({ owner }) => owner === organization)
  }

  #begin(key: string, owner: string, work: (signal: AbortSignal, onWait: OnWait) => Promise<T>): Flight<T> {
    const abort = new AbortController()
    const callers = new Set<Caller>()
    const begun = Promise.withResolvers<T>()
    const flight: Flight<T> = { owner, result: begun.promise, abort, callers, waits: false }
    const onWait: OnWait = (waits) => {
      flight.waits = waits
      for (const caller of [...callers]) {
        if (waits && caller.organization !== owner) caller.leave()
        else caller.onWait?.(waits)
      }
    }
    const flights = this.#running.get(key) ?? new Set()
    this.#running.set(key, flights.add(flight))
    const forget = () => this.#forget(key, flight)
    flight.result.then(forget, forget)
    begun.resolve(work(abort.signal, onWait))
    return flight
  }

  /** The result of the work, or LEFT if this caller had to leave it. */
  async #endOf(
    flight: Flight<T>,
    key: string,
    { signal, organization = '', onWait }: Sharer,
  ): Promise<T | typeof LEFT> {
    const left = Promise.withResolvers<typeof LEFT>()
    const caller: Caller = { organization, onWait, leave: () => left.resolve(LEFT) }
    flight.callers.add(caller)
    if (flight.waits) onWait?.(true)
    const onAbort = () => left.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([flight.result, left.promise])
    } finally {
      signal.removeEventListener('abort', onAbort)
      flight.callers.delete(caller)
      if (flight.callers.size === 0) {
        flight.abort.abort(signal.reason)
        // New callers must not join an aborted flight.
        this.#forget(key, flight)
        // The error has been thrown to its callers already, or no caller is left.
        await flight.result.catch(() => undefined)
      }
    }
  }

  #forget(key: string, flight: Flight<T>): void {
    const flights = this.#running.get(key)
    flights?.delete(flight)
    if (flights?.size === 0) this.#running.delete(key)
  }
}
