import type { Ownership } from '#packages/ports/ownership.ts'

/**
 * Decides whether a process that follows the feed acts on it: it is the owner, and has read the feed to its end. A
 * standby follows the feed too, so that it can take over at once.
 */
export class OwnerRole {
  readonly #takeOver: () => void
  readonly #ready = Promise.withResolvers<void>()
  #isOwner = false
  #isCaughtUp = false

  /** Resolves when the feed has been read to its end: the owner acts, and a standby could. */
  readonly ready: Promise<void> = this.#ready.promise

  /** @param takeOver called each time this process begins to act */
  constructor(takeOver: () => void) {
    this.#takeOver = takeOver
  }

  get acts(): boolean {
    return this.#isOwner && this.#isCaughtUp
  }

  get isOwner(): boolean {
    return this.#isOwner
  }

  get isCaughtUp(): boolean {
    return this.#isCaughtUp
  }

  /** Takes part until the signal is aborted. After that it does not act any more. */
  async takePart(ownership: Ownership, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => {
      this.#isOwner = false
    })
    for await (const isOwner of ownership.owned(signal)) {
      const actedBefore = this.acts
      this.#isOwner = isOwner && !signal.aborted
      if (this.acts && !actedBefore) this.#takeOver()
    }
  }

  /** The feed has been read to its end for the first time. */
  caughtUp(): void {
    this.#isCaughtUp = true
    if (this.acts) this.#takeOver()
    this.#ready.resolve()
  }
}
