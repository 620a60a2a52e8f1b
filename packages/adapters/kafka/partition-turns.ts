import { LRUCache } from 'lru-cache'

/** Publications that are remembered: more than are outstanding at any time. */
const REMEMBERED = 10_000

/**
 * Publications that go to one partition before the next has its turn. A send costs the same with one message or several;
 * but a partition is read by one consumer, whose slots are few: others would be idle while many tasks waited for it.
 */
const MOST_IN_A_TURN = 4

type Turn = { partition: number; left: number }

/**
 * Chooses partitions. What is published together goes to the same one, and what comes after it was sent to the next. A
 * task that is published again goes to another partition than before, where there is one: the consumer of that partition
 * may be gone.
 */
export class PartitionTurns {
  readonly #counts: ReadonlyMap<string, number>
  readonly #turns = new Map<string, Turn>()
  /** The partition of each publication that was made last. */
  readonly #last = new LRUCache<string, number>({ max: REMEMBERED })

  /** @param counts partitions of each topic */
  constructor(counts: ReadonlyMap<string, number>) {
    this.#counts = counts
  }

  /** @param publication the same whenever the same task is published; unique over all topics */
  take(topic: string, publication: string): number {
    const count = this.#counts.get(topic) ?? 1
    const turn = this.#turnOf(topic, count)
    const isRepeat = turn.partition === this.#last.get(publication)
    const partition = isRepeat ? (turn.partition + 1) % count : turn.partition
    this.#last.set(publication, partition)
    if (!isRepeat) turn.left -= 1
    return partition
  }

  /** What was published to the topic is being sent: the next partition has its turn. */
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
