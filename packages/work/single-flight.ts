/** Told true when the work has to wait for a share that its organization has used up, and false when it goes on. */
export type OnWait = (waits: boolean) => void

/** Who asks for work that others may be asking for as well. */
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
 * Single flight: work is done once for all who ask for it at the same time. Work that waits for the share of the
 * organization that began it holds up nobody else: callers of other organizations leave it and begin their own.
 */
export class SingleFlight<T = void> {
  readonly #running = new Map<string, Set<Flight<T>>>()

  /**
   * Joins the work of `key`, or begins it. The work is aborted by the last caller that gives up waiting for it, which
   * then waits until the work has stopped.
   * @param work is to tell when it waits for a share of its organization
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

  /** What goes on, whoever began it; else what waits for the same share. */
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

  /** What the work ends with, or that this caller had to leave it. */
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
        // whoever comes now must not join what has been given up
        this.#forget(key, flight)
        // what it ends with has been thrown already, or is not wanted any more
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
