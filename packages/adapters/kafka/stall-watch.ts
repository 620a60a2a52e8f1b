import type { Admin } from 'kafkajs'
import type { PartitionProgress } from './partition-progress.ts'

type Seen = { position: number; since: number }

/**
 * Finds consumers that have stopped receiving although messages wait: after a broker has died, kafkajs may stall
 * without an event. A consumer is stalled if messages have waited in one of its partitions for `stallMs` and none has
 * arrived, or if the topic was recreated.
 */
export class StallWatch {
  readonly #groupId: string
  readonly #stallMs: number
  readonly #seen = new Map<PartitionProgress, Seen>()

  constructor(groupId: string, stallMs: number) {
    this.#groupId = groupId
    this.#stallMs = stallMs
  }

  /**
   * Looks once. Returns the stalled partition, if there is one.
   * @param partitions those that are assigned and not paused
   * @throws Error the brokers do not answer
   */
  async look(admin: Admin, partitions: readonly PartitionProgress[]): Promise<PartitionProgress | undefined> {
    for (const known of this.#seen.keys()) if (!partitions.includes(known)) this.#seen.delete(known)
    for (const [topic, ofTopic] of Map.groupBy(partitions, (each) => each.topic)) {
      const committed = await this.#committed(admin, topic, ofTopic)
      const offsets = await admin.fetchTopicOffsets(topic)
      const now = Date.now()
      for (const each of ofTopic) {
        const { high, low } = offsets.find(({ partition }) => partition === each.partition) ?? { high: 0, low: 0 }
        const end = Number(high)
        // Where a group begins that has read nothing yet: at its committed offset, or the first one.
        const position = each.next ?? Math.max(committed.get(each.partition) ?? -1, Number(low))
        if (this.#isStalled(each, position, end, now)) return each
      }
    }
    return undefined
  }

  #isStalled(each: PartitionProgress, position: number, end: number, now: number): boolean {
    const seen = this.#seen.get(each)
    // A partition that ends before the received offset was recreated: kafkajs still waits for the next offset of the
    // old one.
    if (end === position) this.#seen.delete(each)
    else if (seen?.position !== position) this.#seen.set(each, { position, since: now })
    else return now - seen.since >= this.#stallMs
    return false
  }

  /** The group's committed offsets, if nothing was received yet from one of the partitions. */
  async #committed(
    admin: Admin,
    topic: string,
    partitions: readonly PartitionProgress[],
  ): Promise<Map<number, number>> {
    if (partitions.every(({ next }) => next !== undefined)) return new Map()
    const [committed] = await admin.fetchOffsets({ groupId: this.#groupId, topics: [topic] })
    return new Map(committed?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
  }
}
