import { setTimeout as sleep } from 'node:timers/promises'
import type { Consumer, EachBatchPayload, PartitionAssigner } from 'kafkajs'
import { Notifier } from '../notifier.ts'
import { atMost } from './at-most.ts'
import type { KafkaLink } from './link.ts'

export type GroupSessionOptions = {
  groupId: string
  topics: readonly string[]
  /** A member without a heartbeat for this long loses its partitions, milliseconds. */
  sessionTimeoutMs: number
  /** The interval of heartbeats, milliseconds. Default: a sixth of the session timeout. */
  heartbeatMs?: number
  /** How the group shares its partitions. Default: that of kafkajs. */
  assigner?: PartitionAssigner
  /** How often to look for added partitions, milliseconds. Default: 30,000. */
  lookEveryMs?: number | undefined
  /** Called with the assigned partitions, by topic. */
  onAssigned(partitions: Readonly<Record<string, number[]>>): void
  /** Handles a batch. Offsets that it does not resolve are delivered again. */
  onBatch(payload: EachBatchPayload): Promise<void>
}

/**
 * How long a fetch waits for messages, milliseconds. Heartbeats are sent between fetches, and closing waits for a
 * fetch.
 */
const MAX_WAIT_MS = 500

/** The most bytes of one partition in one fetch: some hundred tasks. */
const MAX_PARTITION_BYTES = 64 * 1024

const COMMIT_TIMEOUT_MS = 2500

/** The pause before a new session replaces one that has ended, milliseconds. */
const REBUILD_AFTER_MS = 500

export type SessionsInTurn = {
  /** Resolves when the topics exist. No member of a group can begin earlier. */
  topicsMade: Promise<void>
  /** Runs one session. Resolves with the reason for its end. */
  run(closed: AbortSignal): Promise<unknown>
  /** Called with the reason or the error when a new session replaces this one. */
  onReplaced(end: unknown): void
}

/** Runs one session after another until the signal is aborted. */
export async function sessionsInTurn({ topicsMade, run, onReplaced }: SessionsInTurn, closed: AbortSignal) {
  await Promise.race([topicsMade, new Notifier().wait(closed)])
  while (!closed.aborted) {
    const end = await run(closed).catch((error: unknown) => error)
    if (closed.aborted) return
    onReplaced(end)
    await sleep(REBUILD_AFTER_MS, undefined, { signal: closed }).catch(() => {})
  }
}

/**
 * One member of a consumer group, from joining to its end. kafkajs restarts some consumers that crash, and gives up
 * others. A consumer that is disconnected while it joins or waits for its restart carries on all the same. It would
 * stay a member and keep its partitions without reading them. So each session has its own link, and ends it.
 */
export class GroupSession {
  /** Resolves when kafkajs has given up the consumer. */
  readonly crashed: Promise<unknown>
  readonly #link: KafkaLink
  readonly #consumer: Consumer
  readonly #options: GroupSessionOptions
  #isOver = false
  /** When the group last answered, milliseconds since 1970. */
  #answeredAt = Date.now()

  constructor(link: KafkaLink, options: GroupSessionOptions) {
    this.#link = link.another()
    this.#options = options
    const { groupId, sessionTimeoutMs, assigner, lookEveryMs = 30_000 } = options
    const { heartbeatMs = Math.floor(sessionTimeoutMs / 6) } = options
    const consumer = this.#link.patient.consumer({
      groupId,
      ...(assigner && { partitionAssigners: [assigner] }),
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: sessionTimeoutMs,
      heartbeatInterval: heartbeatMs,
      maxWaitTimeInMs: Math.min(MAX_WAIT_MS, heartbeatMs),
      maxBytesPerPartition: MAX_PARTITION_BYTES,
      metadataMaxAge: lookEveryMs,
      allowAutoTopicCreation: false,
    })
    this.#consumer = consumer
    this.crashed = new Promise((resolve) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (!payload.restart) resolve(payload.error)
      })
    })
    consumer.on(consumer.events.HEARTBEAT, () => {
      this.#answeredAt = Date.now()
    })
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      this.#answeredAt = Date.now()
      if (!this.#isOver) options.onAssigned(payload.memberAssignment)
    })
  }

  /** Joins the group and begins to receive. */
  async start(): Promise<void> {
    await this.#consumer.connect()
    // From the beginning: includes tasks that were published before the group existed.
    await this.#consumer.subscribe({ topics: [...this.#options.topics], fromBeginning: true })
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        if (!this.#isOver) await this.#options.onBatch(payload)
      },
    })
  }

  /**
   * Joins, and resolves with the reason to end: a crash, or the result of `watch`. Its signal is aborted with `closed`,
   * and at the end.
   * @throws as `start`
   */
  async runUntil(watch: (ended: AbortSignal) => Promise<unknown>, closed: AbortSignal): Promise<unknown> {
    const over = new AbortController()
    const watching = watch(AbortSignal.any([closed, over.signal]))
    const started = this.start().then(() => new Promise<never>(() => {}))
    try {
      return await Promise.race([started, this.crashed, watching])
    } finally {
      over.abort()
    }
  }

  /** How long the group has not answered, milliseconds. */
  get silentMs(): number {
    return Date.now() - this.#answeredAt
  }

  pause(topic: string): void {
    this.#consumer.pause([{ topic }])
  }

  resume(topic: string): void {
    try {
      this.#consumer.resume([{ topic }])
    } catch {
      // The consumer is restarting. After that nothing is paused.
    }
  }

  /** @throws Error the commit failed or took too long; messages with uncommitted offsets are delivered again */
  async commit(offsets: { topic: string; partition: number; offset: string }[]): Promise<void> {
    const isCommitted = this.#consumer.commitOffsets(offsets).then(() => true)
    if (!(await atMost(COMMIT_TIMEOUT_MS, isCommitted)))
      throw new Error(`the brokers did not take a commit within ${COMMIT_TIMEOUT_MS} ms`)
  }

  /** Leaves the group. Resolves within some seconds, even if kafkajs hangs. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#link.close(this.#consumer)
    this.#link.end()
  }
}
