import { perStep, type Step, steps } from '#packages/domain/job/events.ts'
import { SHARDS } from '#packages/ports/shards.ts'
import type { Shares } from './backlog.ts'

/**
 * How many steps the owner of some shards may issue: its part of the slots of all workers, which tell how many they have.
 * One organization may have half of all slots, so that its slow jobs never block those of others; all its jobs are in one
 * shard.
 */
export class SlotShares {
  /** Changed in place. */
  readonly shares: Record<Step, Shares>
  #slots: Record<Step, number>
  #shards = SHARDS

  /** @param slots those that there are until workers have told theirs */
  constructor(slots: Record<Step, number>) {
    this.#slots = slots
    this.shares = perStep(() => ({ outstanding: 0, perOrganization: 0 }))
    this.#share()
  }

  /** @param count how many shards the owner has from now on */
  own(count: number): void {
    this.#shards = count
    this.#share()
  }

  /** @param told the sums of slots. A step without any worker keeps what it had: some will come again. */
  tell(told: Partial<Record<Step, number>>): void {
    this.#slots = perStep((step) => told[step] || this.#slots[step])
    this.#share()
  }

  #share(): void {
    for (const step of steps) {
      const slots = this.#slots[step]
      const part = Math.ceil((slots * this.#shards) / SHARDS)
      Object.assign(this.shares[step], { outstanding: Math.max(1, part), perOrganization: Math.ceil(slots / 2) })
    }
  }
}
