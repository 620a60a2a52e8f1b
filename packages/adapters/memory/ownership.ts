import type { Ownership } from '#packages/ports/ownership.ts'
import { Newest } from '../newest.ts'

/** Elects the owner within this process: the participant that has taken part longest. */
export class MemoryOwnership implements Ownership {
  readonly #members = new Set<Newest<boolean>>()

  async *owned(signal: AbortSignal): AsyncIterable<boolean> {
    const member = new Newest<boolean>()
    this.#members.add(member)
    member.set(this.#members.size === 1)
    try {
      yield* member.follow(signal)
    } finally {
      const [owner] = this.#members
      this.#members.delete(member)
      const [next] = this.#members
      if (owner === member) next?.set(true)
    }
  }
}
