import type { Lane } from '#packages/domain/job/events.ts'

/**
 * The progress of this consumer in one assigned partition. Tasks finish in any order; the consumer commits the offset
 * below which all are done.
 */
export class PartitionProgress {
  readonly topic: string
  readonly partition: number
  readonly lane: Lane
  /** Offsets received since the committed one: true once done. */
  readonly #held = new Map<number, boolean>()
  #next: number | undefined
  #committed = -1

  constructor(topic: string, partition: number, lane: Lane) {
    this.topic = topic
    this.partition = partition
    this.lane = lane
  }

  /** The offset after the last received one; undefined if none was received yet. */
  get next(): number | undefined {
    return this.#next
  }

  /** Adds an offset. False if it was received before: after every rebalance, uncommitted offsets come again. */
  receive(offset: number): boolean {
    this.#next = offset + 1
    // The topic was recreated.
    if (offset < this.#committed) this.#committed = offset
    if (this.#held.has(offset)) return false
    this.#held.set(offset, false)
    return true
  }

  done(offset: number): void {
    if (this.#held.has(offset)) this.#held.set(offset, true)
  }

  /** The offset to commit; undefined if it is committed already. */
  get due(): number | undefined {
    if (this.#next === undefined) return undefined
    let due = Number.POSITIVE_INFINITY
    for (const [offset, isDone] of this.#held) if (!isDone && offset < due) due = offset
    if (due === Number.POSITIVE_INFINITY) due = Math.max(this.#next, ...this.#held.keys().map((offset) => offset + 1))
    return due > this.#committed ? due : undefined
  }

  committed(due: number): void {
    this.#committed = due
    for (const offset of [...this.#held.keys()]) if (offset < due) this.#held.delete(offset)
  }
}
