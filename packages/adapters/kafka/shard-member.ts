import { setTimeout as sleep } from 'node:timers/promises'
import type { ShardOwnership } from '#packages/ports/shard-ownership.ts'
import { allShards, type Shard } from '#packages/ports/shards.ts'
import { Newest } from '../newest.ts'
import { GroupSession, sessionsInTurn } from './group-session.ts'
import type { KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import type { ShardedService, Topics } from './topics.ts'

export type ShardMemberOptions = {
  /** Whose shards. */
  service: ShardedService
  topics: Topics
  /** Resolves when the topics exist: no member of a group can begin before. */
  topicsMade: Promise<void>
  /** A process that was killed loses its shards after so long, milliseconds. */
  sessionTimeoutMs: number
}

/** A member without a sign of life from its group for so many session timeouts is replaced. */
const SILENT_TIMEOUTS = 3

const inWords = 'the owner of shards'

/**
 * Shares the shards by a consumer group of Kafka: who is assigned the n-th partition of the topic of shards owns the n-th
 * shard. Nothing is written to the topic, and nothing is read from it. While the brokers are away, shards stay where
 * they are.
 */
export class ShardMember implements ShardOwnership {
  readonly #link: KafkaLink
  readonly #log: KafkaLog
  readonly #options: ShardMemberOptions

  constructor(link: KafkaLink, log: KafkaLog, options: ShardMemberOptions) {
    this.#link = link
    this.#log = log
    this.#options = options
  }

  async *owned(signal: AbortSignal): AsyncIterable<ReadonlySet<Shard>> {
    const newest = new Newest<ReadonlySet<Shard>>()
    const over = new AbortController()
    const ended = AbortSignal.any([signal, over.signal, this.#link.ended])
    const { topicsMade } = this.#options
    const run = (closed: AbortSignal): Promise<unknown> => this.#runSession(newest, closed)
    const onReplaced = (end: unknown): void =>
      this.#link.troubles.failed(inWords, end, 'an owner of shards has ended; another takes its place')
    const running = sessionsInTurn({ topicsMade, run, onReplaced }, ended)
    try {
      yield* newest.follow(ended)
    } finally {
      over.abort()
      await running
    }
  }

  /** Resolves with the reason why the session ended. */
  async #runSession(newest: Newest<ReadonlySet<Shard>>, ended: AbortSignal): Promise<unknown> {
    const { service, topics, sessionTimeoutMs } = this.#options
    const session = new GroupSession(this.#link, {
      groupId: topics.groupOfShards(service),
      topics: [topics.shards],
      sessionTimeoutMs,
      onAssigned: (partitions) => {
        // Heartbeats go on; there is nothing to fetch.
        session.pause(topics.shards)
        this.#link.troubles.answered(inWords)
        const shards = (partitions[topics.shards] ?? []).filter((partition) => allShards.has(partition))
        this.#log.info({ shards: shards.length }, 'this process was given its shards')
        newest.set(new Set(shards))
      },
      onBatch: async () => {},
    })
    const over = new AbortController()
    const watching = this.#watch(session, AbortSignal.any([ended, over.signal]))
    try {
      return await session.runUntil(watching)
    } finally {
      over.abort()
      await session.close()
    }
  }

  /** Resolves when the group has been silent for too long or the signal is aborted. kafkajs may stall without a word. */
  async #watch(session: GroupSession, ended: AbortSignal): Promise<unknown> {
    const { sessionTimeoutMs } = this.#options
    while (!ended.aborted) {
      await sleep(sessionTimeoutMs, undefined, { signal: ended }).catch(() => {})
      if (session.silentMs > SILENT_TIMEOUTS * sessionTimeoutMs) return new Error('the group of owners is silent')
    }
    return ended.reason
  }
}
