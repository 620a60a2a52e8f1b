import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StepTask } from '#contracts/generated/messages.ts'
import type { Step } from '#packages/domain/job/events.ts'
import type { DeadLetter, DeadLetters, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { DeadLetterTopic } from './dead-letter-topic.ts'
import { type KafkaCluster, KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import { PartitionTurns } from './partition-turns.ts'
import { Publisher } from './publisher.ts'
import { StepConsumer } from './step-consumer.ts'
import { encodeTask } from './task-message.ts'
import { TopicKeeper } from './topic-keeper.ts'
import { Topics } from './topics.ts'

export type KafkaWorkQueueOptions = KafkaCluster & {
  log: KafkaLog
  /** Partitions of each topic of tasks: as many consumers of a step can work at once. */
  partitions: number
  /** Brokers that hold each partition. 0: three, or as many as there are. */
  replication: number
  /** Begins the names of topics and groups. */
  prefix: string
  /** A consumer that is not heard of for so long loses its partitions, milliseconds. Default: 10,000. */
  sessionTimeoutMs?: number
  /** A consumer that receives nothing for so long while messages wait is replaced, milliseconds. Default: 10,000. */
  stallMs?: number
  /** Tasks of a lane that a consumer receives ahead of its free slots. Default: 100. */
  maxWaitingPerLane?: number
}

/**
 * Opens the WorkQueue on Kafka: one topic for each step and lane, made where it is missing.
 * @throws Error the brokers could not be reached, or refuse the topics
 */
export async function openKafkaWorkQueue(
  options: KafkaWorkQueueOptions & { openMs?: number },
): Promise<KafkaWorkQueue> {
  const queue = new KafkaWorkQueue(options)
  try {
    await queue.whenMade(options.openMs ?? 60_000)
    return queue
  } catch (error) {
    await queue[Symbol.asyncDispose]()
    throw error
  }
}

/** A task waits so long for topics that are not there yet, milliseconds. */
const WAIT_FOR_TOPICS_MS = 30_000

/** How long closing may wait for brokers that do not answer. */
const CLOSE_MS = 7000

/** What two publications of the same task have in common, and no other has. */
const publicationOf = ({ jobId, revision, step, attempt }: StepTask): string =>
  `${jobId}/${revision}/${step}/${attempt}`

/**
 * The WorkQueue on Kafka. It works once there are brokers: what is published before waits for a while, and consumers
 * receive nothing.
 */
export class KafkaWorkQueue implements WorkQueue, DeadLetters {
  readonly #link: KafkaLink
  readonly #topics: Topics
  readonly #keeper: TopicKeeper
  readonly #options: KafkaWorkQueueOptions
  readonly #turns: PartitionTurns
  readonly #publisher: Publisher
  readonly #deadLetters: DeadLetterTopic
  readonly #consumers = new Set<StepConsumer>()
  #closing: Promise<void> | undefined

  constructor(options: KafkaWorkQueueOptions) {
    const { log, prefix } = options
    this.#options = options
    this.#link = new KafkaLink(options, log)
    this.#topics = new Topics(prefix)
    this.#keeper = new TopicKeeper(this.#link, this.#topics, options, log)
    this.#turns = new PartitionTurns(this.#keeper.counts)
    this.#publisher = new Publisher(this.#link)
    this.#deadLetters = new DeadLetterTopic(this.#link, this.#topics.deadLetter, this.#publisher, (topic, value) =>
      this.#publisher.send(topic, this.#turns.take(topic, randomUUID()), { value }),
    )
  }

  /** What keeps tasks from being published and received, in words. @throws Error the brokers do not answer */
  look(): Promise<string | undefined> {
    return this.#keeper.look()
  }

  /** Resolves when the topics are there. @throws Error they are not within so many milliseconds, or it was closed */
  async whenMade(withinMs: number): Promise<void> {
    if (this.#keeper.counts.size > 0) return
    const { ended } = this.#link
    const waited = new AbortController()
    const late = sleep(withinMs, undefined, { signal: AbortSignal.any([ended, waited.signal]) }).then(
      () => {
        throw new Error(`the brokers did not give the topics within ${withinMs} ms`)
      },
      () => ended.throwIfAborted(),
    )
    try {
      await Promise.race([this.#keeper.made, late])
    } finally {
      waited.abort()
    }
  }

  /** @throws Error the task breaks its contract, or the brokers did not take it */
  async publish(task: StepTask): Promise<void> {
    const value = encodeTask(task)
    await this.whenMade(WAIT_FOR_TOPICS_MS)
    const topic = this.#topics.of(task.step, task.lane)
    await this.#publisher.send(topic, this.#turns.take(topic, publicationOf(task)), { value })
  }

  consume(step: Step): TaskConsumer {
    if (this.#closing) throw new Error('the work queue is closed')
    const { log, sessionTimeoutMs = 10_000, stallMs = 10_000, maxWaitingPerLane = 100 } = this.#options
    const consumer = new StepConsumer(this.#link, log, {
      step,
      topics: this.#topics,
      topicsMade: this.#keeper.made,
      maxWaitingPerLane,
      sessionTimeoutMs,
      stallMs,
      setAside: async (origin, reason) => {
        log.error({ step, topic: origin.topic, reason }, 'a message goes to the dead letters')
        await this.#deadLetters.setAside(origin, reason)
      },
    })
    this.#consumers.add(consumer)
    return {
      take: (first, signal) => consumer.take(first, signal),
      [Symbol.asyncDispose]: async () => {
        await consumer[Symbol.asyncDispose]()
        this.#consumers.delete(consumer)
      },
    }
  }

  listDeadLetters(): Promise<DeadLetter[]> {
    return this.#deadLetters.listDeadLetters()
  }

  replayDeadLetter(id: string): Promise<void> {
    return this.#deadLetters.replayDeadLetter(id)
  }

  /** Takes some seconds at most, also while the brokers are away. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    const patience = new AbortController()
    await Promise.race([this.#closeInTurn(), sleep(CLOSE_MS, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
    // Ends what hangs: nothing of it is left behind.
    this.#link.end()
  }

  async #closeInTurn(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer[Symbol.asyncDispose]()))
    await this.#publisher.close()
  }
}
