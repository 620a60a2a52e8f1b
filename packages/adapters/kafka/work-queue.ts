import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StepTask } from '#contracts/generated/messages.ts'
import type { Step } from '#packages/domain/job/events.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import type { DeadLetter, DeadLetters, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { AnnouncedSlots } from './announced-slots.ts'
import type { KafkaCluster } from './cluster.ts'
import { DeadLetterTopic } from './dead-letter-topic.ts'
import { KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import { OwnerElection } from './owner-election.ts'
import { PartitionTurns } from './partition-turns.ts'
import { Publisher } from './publisher.ts'
import { StepConsumer } from './step-consumer.ts'
import { messageOf } from './task-message.ts'
import { TopicKeeper } from './topic-keeper.ts'
import { Topics } from './topics.ts'

export type KafkaWorkQueueOptions = KafkaCluster & {
  log: KafkaLog
  /** Called for each message that is set aside. */
  onDeadLetter?: (step: Step) => void
  /** Partitions of each topic of tasks, which is how many consumers of a step can work at once. */
  partitions: number
  /** How many brokers hold each partition. 0: three, or all if there are fewer. */
  replication: number
  /** Prefix of the names of topics and groups. */
  prefix: string
  /** A consumer without a heartbeat for this long loses its partitions, milliseconds. Default: 10,000. */
  sessionTimeoutMs?: number
  /** A consumer that receives nothing for this long while messages wait is replaced, milliseconds. Default: 10,000. */
  stallMs?: number
  /** An owner without a heartbeat for this long is replaced, milliseconds. Default: 8,000. */
  ownerTimeoutMs?: number
  /** How often to look at topics and their partitions, milliseconds. Default: 30,000. */
  lookEveryMs?: number
  /** How many tasks of a lane a consumer receives beyond its free slots. Default: 100. */
  maxWaitingPerLane?: number
}

/**
 * Opens the WorkQueue on Kafka, with one topic for each step and lane. Creates missing topics.
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

/** How long a task waits for topics that do not exist yet, milliseconds. */
const WAIT_FOR_TOPICS_MS = 30_000

/** Another process takes over the work of a killed owner within 15 s, including the time to notice. */
const OWNER_TIMEOUT_MS = 8000

/** How long closing waits for brokers that do not answer, milliseconds. */
const CLOSE_MS = 7000

/** Identifies a task: the same for every publication of it. */
const publicationOf = ({ jobId, revision, step, attempt }: StepTask): string =>
  `${jobId}/${revision}/${step}/${attempt}`

/**
 * The WorkQueue on Kafka. It works once there are brokers. Until then, published tasks wait for a while and consumers
 * receive nothing.
 */
export class KafkaWorkQueue implements WorkQueue, DeadLetters {
  readonly system = 'kafka'
  /** Elects the owner among the orchestrators, and among the processes that write the views. */
  readonly ownership: Ownership
  readonly viewsOwnership: Ownership
  readonly webhooksOwnership: Ownership
  readonly batchesOwnership: Ownership
  readonly watchesOwnership: Ownership
  readonly #link: KafkaLink
  readonly #topics: Topics
  readonly #keeper: TopicKeeper
  readonly #options: KafkaWorkQueueOptions
  readonly #turns: PartitionTurns
  readonly #publisher: Publisher
  readonly #deadLetters: DeadLetterTopic
  readonly #slots: AnnouncedSlots
  readonly #consumers = new Set<StepConsumer>()
  #closing: Promise<void> | undefined

  constructor(options: KafkaWorkQueueOptions) {
    const { log, prefix } = options
    this.#options = options
    this.#link = new KafkaLink(options, log)
    this.#topics = new Topics(prefix)
    this.#keeper = new TopicKeeper(this.#link, this.#topics, options, log)
    this.#turns = new PartitionTurns(this.#keeper.counts)
    this.#publisher = new Publisher(this.#link, (topic) => this.#turns.sent(topic))
    this.#slots = new AnnouncedSlots(this.#link, this.#topics)
    const shared = {
      topics: this.#topics,
      topicsMade: this.#keeper.made,
      sessionTimeoutMs: options.ownerTimeoutMs ?? OWNER_TIMEOUT_MS,
    }
    this.ownership = new OwnerElection(this.#link, log, { ...shared, service: 'orchestrator' })
    this.viewsOwnership = new OwnerElection(this.#link, log, { ...shared, service: 'projections' })
    this.webhooksOwnership = new OwnerElection(this.#link, log, { ...shared, service: 'webhooks' })
    this.batchesOwnership = new OwnerElection(this.#link, log, { ...shared, service: 'batches' })
    this.watchesOwnership = new OwnerElection(this.#link, log, { ...shared, service: 'watches' })
    this.#deadLetters = new DeadLetterTopic(this.#link, this.#topics.deadLetter, this.#publisher, (topic, value) =>
      this.#publisher.send(topic, this.#turns.take(topic, randomUUID()), { value }),
    )
  }

  /** Why tasks cannot be published and received; undefined if they can. @throws Error the brokers do not answer */
  look(): Promise<string | undefined> {
    return this.#keeper.look()
  }

  /** Resolves when the topics exist. @throws Error not within `withinMs` milliseconds, or the queue was closed */
  async whenMade(withinMs: number): Promise<void> {
    if (this.#keeper.counts.size > 0) return
    const { ended } = this.#link
    const waited = new AbortController()
    const late = sleep(withinMs, undefined, { signal: AbortSignal.any([ended, waited.signal]) }).then(
      () => {
        throw new Error(`the topics were not made within ${withinMs} ms`)
      },
      () => ended.throwIfAborted(),
    )
    try {
      await Promise.race([this.#keeper.made, late])
    } finally {
      waited.abort()
    }
  }

  /** @throws Error the task breaks its contract, or the brokers did not accept it */
  async publish(task: StepTask): Promise<void> {
    const message = messageOf(task)
    await this.whenMade(WAIT_FOR_TOPICS_MS)
    const topic = this.#topics.of(task.step, task.lane)
    await this.#publisher.send(topic, this.#turns.take(topic, publicationOf(task)), message)
  }

  consume(step: Step, slots = 1): TaskConsumer {
    if (this.#closing) throw new Error('the work queue is closed')
    const { log, onDeadLetter, lookEveryMs, ...given } = this.#options
    const { sessionTimeoutMs = 10_000, stallMs = 10_000, maxWaitingPerLane = 100 } = given
    const consumer = new StepConsumer(this.#link, log, {
      step,
      slots,
      topics: this.#topics,
      topicsMade: this.#keeper.made,
      maxWaitingPerLane,
      sessionTimeoutMs,
      stallMs,
      lookEveryMs,
      setAside: async (origin, reason) => {
        log.error({ step, topic: origin.topic, reason }, 'a message goes to the dead letters')
        await this.#deadLetters.setAside(origin, reason)
        onDeadLetter?.(step)
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

  slots(): Promise<Partial<Record<Step, number>>> {
    return this.#slots.ask()
  }

  listDeadLetters(): Promise<DeadLetter[]> {
    return this.#deadLetters.listDeadLetters()
  }

  replayDeadLetter(id: string): Promise<void> {
    return this.#deadLetters.replayDeadLetter(id)
  }

  /** Takes some seconds at most, even while the brokers are away. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    const patience = new AbortController()
    await Promise.race([this.#closeInTurn(), sleep(CLOSE_MS, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
    // Ends connections and retries that hang.
    this.#link.end()
  }

  async #closeInTurn(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer[Symbol.asyncDispose]()))
    await Promise.all([this.#publisher.close(), this.#slots.close()])
  }
}
