import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StepTask } from '#contracts/generated/messages.ts'
import type { DeadLetter, DeadLetters, Step, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { DeadLetterTopic } from './dead-letter-topic.ts'
import { KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import { PartitionTurns } from './partition-turns.ts'
import { Publisher } from './publisher.ts'
import { StepConsumer } from './step-consumer.ts'
import { encodeTask } from './task-message.ts'
import { ensureTopics, Topics } from './topics.ts'

export type KafkaWorkQueueOptions = {
  /** `host:port` of some brokers. */
  brokers: readonly string[]
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
  /** How long to wait for the brokers at the start, milliseconds. Default: 60,000. */
  openMs?: number
  /** Tasks of a lane that a consumer receives ahead of its free slots. Default: 100. */
  maxWaitingPerLane?: number
}

/**
 * Opens the WorkQueue on Kafka: one topic for each step and lane, made where it is missing.
 * @throws Error the brokers could not be reached, or refuse the topics
 */
export async function openKafkaWorkQueue(options: KafkaWorkQueueOptions): Promise<WorkQueue & DeadLetters> {
  const link = new KafkaLink(options.brokers, options.log)
  try {
    const topics = new Topics(options.prefix)
    const counts = await prepare(link, topics, options)
    return new KafkaWorkQueue(link, topics, counts, options)
  } catch (error) {
    link.end()
    throw error
  }
}

/** Makes the topics; tries again while the brokers are starting. */
async function prepare(link: KafkaLink, topics: Topics, options: KafkaWorkQueueOptions): Promise<Map<string, number>> {
  const { partitions, replication, openMs = 60_000, log } = options
  for (const giveUpAt = Date.now() + openMs; ; await sleep(500)) {
    try {
      return await link.withAdmin((admin) => ensureTopics(admin, topics, { partitions, replication }))
    } catch (error) {
      if (Date.now() >= giveUpAt) throw error
      log.warn({ err: error }, 'the topics could not be made; trying again')
    }
  }
}

/** How long closing may wait for brokers that do not answer. */
const CLOSE_MS = 7000

/** What two publications of the same task have in common, and no other has. */
const publicationOf = ({ jobId, revision, step, attempt }: StepTask): string =>
  `${jobId}/${revision}/${step}/${attempt}`

class KafkaWorkQueue implements WorkQueue, DeadLetters {
  readonly #link: KafkaLink
  readonly #topics: Topics
  readonly #options: KafkaWorkQueueOptions
  readonly #turns: PartitionTurns
  readonly #publisher: Publisher
  readonly #deadLetters: DeadLetterTopic
  readonly #consumers = new Set<StepConsumer>()
  #closing: Promise<void> | undefined

  constructor(link: KafkaLink, topics: Topics, counts: ReadonlyMap<string, number>, options: KafkaWorkQueueOptions) {
    this.#link = link
    this.#topics = topics
    this.#options = options
    this.#turns = new PartitionTurns(counts)
    this.#publisher = new Publisher(link, options.log)
    this.#deadLetters = new DeadLetterTopic(link, topics.deadLetter, this.#publisher, (topic, value) =>
      this.#publisher.send(topic, this.#turns.take(topic, randomUUID()), { value }),
    )
  }

  /** @throws Error the task breaks its contract, or the brokers did not take it */
  async publish(task: StepTask): Promise<void> {
    const value = encodeTask(task)
    const topic = this.#topics.of(task.step, task.lane)
    await this.#publisher.send(topic, this.#turns.take(topic, publicationOf(task)), { value })
  }

  consume(step: Step): TaskConsumer {
    if (this.#closing) throw new Error('the work queue is closed')
    const { log, sessionTimeoutMs = 10_000, stallMs = 10_000, maxWaitingPerLane = 100 } = this.#options
    const consumer = new StepConsumer(this.#link, log, {
      step,
      topics: this.#topics,
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
