import { LRUCache } from 'lru-cache'

/** How many publications to remember: more than are ever outstanding. */
const REMEMBERED = 10_000

/**
 * How many publications go to one partition before the next has its turn. A send costs the same with one message or
 * several. But one consumer with few slots reads a partition, and other consumers would be idle while many tasks waited
 * for it.
 */
const MOST_IN_A_TURN = 4

type Turn = { partition: number; left: number }

/**
 * Chooses partitions. Publications that are sent together share a partition, and the next send uses the next one. A
 * task that is published again goes to another partition if there is one: the consumer of the first may be gone.
 */
export class PartitionTurns {
  readonly #counts: ReadonlyMap<string, number>
  readonly #turns = new Map<string, Turn>()
  /** The partition of each recent publication. */
  readonly #last = new LRUCache<string, number>({ max: REMEMBERED })

  /** @param counts the number of partitions of each topic */
  constructor(counts: ReadonlyMap<string, number>) {
    this.#counts = counts
  }

  /** @param publication identifies the task: the same for every publication of it, and unique over all topics */
  take(topic: string, publication: string): number {
    const count = this.#counts.get(topic) ?? 1
    const turn = this.#turnOf(topic, count)
    const isRepeat = turn.partition === this.#last.get(publication)
    const partition = isRepeat ? (turn.partition + 1) % count : turn.partition
    this.#last.set(publication, partition)
    if (!isRepeat) turn.left -= 1
    return partition
  }

  /** The topic's waiting publications are being sent, so the next partition has its turn. */
  sent(topic: string): void {
    const turn = this.#turns.get(topic)
    if (turn !== undefined) turn.left = 0
  }

  #turnOf(topic: string, count: number): Turn {
    const last = this.#turns.get(topic)
    if (last !== undefined && last.left > 0) return last
    const partition = last === undefined ? Math.floor(Math.random() * count) : (last.partition + 1) % count
    const turn = { partition, left: MOST_IN_A_TURN }
    this.#turns.set(topic, turn)
    return turn
  }
}
