import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import type { Clock } from '#packages/ports/clock.ts'

export type ReceiverLimits = {
  /** Requests under way at once. */
  atOnce: number
  /** Requests that begin within a second. */
  perSecond: number
}

/** The limits of a receiver, by its host and by its address. */
export const receiverLimits: ReceiverLimits = { atOnce: 4, perSecond: 10 }

/** A permit for one request to a receiver. Dispose of it when the request is over. */
export type ReceiverPermit = Disposable & {
  /** Waits until the request may begin. @throws the signal's reason */
  begin(): Promise<void>
}

/** `begins`: when the newest requests begin, milliseconds since 1970. */
type Receiver = { permits: Semaphore; users: number; begins: number[] }

/** Above this number of receivers in memory, those without requests are dropped. */
const MANY_RECEIVERS = 1000

/**
 * Limits the requests to each receiver: at once, and per second. The organizations that wait for one receiver take
 * turns, so one with much to send does not delay the others.
 */
export class ReceiverSemaphore {
  readonly #clock: Clock
  readonly #limits: ReceiverLimits
  readonly #receivers = new Map<string, Receiver>()

  constructor(clock: Clock, limits: ReceiverLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Waits for a permit.
   * @param name of the receiver: a host or an address
   * @param owner the organization
   * @throws the signal's reason
   */
  async acquire({ name, owner }: { name: string; owner: string }, signal: AbortSignal): Promise<ReceiverPermit> {
    const receiver = this.#receiver(name)
    receiver.users++
    try {
      const permit = await receiver.permits.acquire(signal, [{ name: owner, most: this.#limits.atOnce }])
      return {
        begin: () => this.#pace(receiver, signal),
        [Symbol.dispose]() {
          permit[Symbol.dispose]()
          receiver.users--
        },
      }
    } catch (error) {
      receiver.users--
      throw error
    }
  }

  async #pace({ begins }: Receiver, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const oldest = begins.length < this.#limits.perSecond ? undefined : begins.shift()
    const at = oldest === undefined ? now : Math.max(now, oldest + 1000)
    begins.push(at)
    if (at > now) await this.#clock.sleep(at - now, signal)
  }

  #receiver(name: string): Receiver {
    const known = this.#receivers.get(name)
    if (known !== undefined) return known
    if (this.#receivers.size >= MANY_RECEIVERS) this.#dropIdle()
    const receiver: Receiver = { permits: new Semaphore(this.#limits.atOnce), users: 0, begins: [] }
    this.#receivers.set(name, receiver)
    return receiver
  }

  #dropIdle(): void {
    const before = this.#clock.now() - 1000
    for (const [name, { users, begins }] of this.#receivers)
      if (users === 0 && (begins.at(-1) ?? 0) < before) this.#receivers.delete(name)
  }
}
