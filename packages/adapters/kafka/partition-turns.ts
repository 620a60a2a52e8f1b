/** Publications that are remembered: more than are outstanding at any time. */
const REMEMBERED = 10_000

/**
 * Chooses partitions: each publication goes to the next one. A task that is published again goes to another partition
 * than before, where there is one: the consumer of that partition may be gone.
 */
export class PartitionTurns {
  readonly #counts: ReadonlyMap<string, number>
  readonly #next = new Map<string, number>()
  readonly #last = new Map<string, number>()

  /** @param counts partitions of each topic */
  constructor(counts: ReadonlyMap<string, number>) {
    this.#counts = counts
  }

  /** @param publication the same whenever the same task is published; unique over all topics */
  take(topic: string, publication: string): number {
    const count = this.#counts.get(topic) ?? 1
    let partition = this.#next.get(topic) ?? Math.floor(Math.random() * count)
    if (partition === this.#last.get(publication)) partition = (partition + 1) % count
    this.#next.set(topic, (partition + 1) % count)
    this.#remember(publication, partition)
    return partition
  }

  #remember(publication: string, partition: number): void {
    this.#last.delete(publication)
    this.#last.set(publication, partition)
    const [oldest] = this.#last.keys()
    if (this.#last.size > REMEMBERED && oldest !== undefined) this.#last.delete(oldest)
  }
}
