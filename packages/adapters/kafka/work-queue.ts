import { randomUUID } from 'node:crypto'
import type { StepTask } from '#contracts/generated/messages.ts'
import type { Step } from '#packages/domain/job/events.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import type { DeadLetter, DeadLetters, TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { AnnouncedSlots } from './announced-slots.ts'
import { atMost } from './at-most.ts'
import type { KafkaCluster } from './cluster.ts'
import { DeadLetterTopic } from './dead-letter-topic.ts'
import { KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import { ownerElection } from './owner-election.ts'
import { PartitionTurns } from './partition-turns.ts'
import { Publisher } from './publisher.ts'
import { StepConsumer } from './step-consumer.ts'
import { messageOf } from './task-message.ts'
import { TopicKeeper } from './topic-keeper.ts'
import { type OwnedService, Topics } from './topics.ts'

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
  /** How often to look at topics and their partitions, milliseconds. Default: 30,000. */
  lookEveryMs?: number
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

/** A consumer without a heartbeat for this long loses its partitions, milliseconds. */
const SESSION_TIMEOUT_MS = 10_000

/** A consumer that receives nothing for this long while messages wait is replaced, milliseconds. */
const STALL_MS = 10_000

/** How many tasks of a lane a consumer receives beyond its free slots. */
const MAX_WAITING_PER_LANE = 100

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
    this.#deadLetters = new DeadLetterTopic(this.#link, this.#topics.deadLetter, this.#publisher, (topic, value) =>
      this.#publisher.send(topic, this.#turns.take(topic, randomUUID()), { value }),
    )
  }

  /** Elects the owner among the processes of a service. */
  ownershipOf(service: OwnedService): Ownership {
    return ownerElection(this.#link, this.#options.log, {
      service,
      topics: this.#topics,
      topicsMade: this.#keeper.made,
      sessionTimeoutMs: OWNER_TIMEOUT_MS,
    })
  }

  /** Why tasks cannot be published and received; undefined if they can. @throws Error the brokers do not answer */
  look(): Promise<string | undefined> {
    return this.#keeper.look()
  }

  /** Resolves when the topics exist. @throws Error not within `withinMs` milliseconds, or the queue was closed */
  async whenMade(withinMs: number): Promise<void> {
    if (this.#keeper.counts.size > 0) return
    const { ended } = this.#link
    const isMade = this.#keeper.made.then(() => true)
    if (await atMost(withinMs, isMade, ended)) return
    ended.throwIfAborted()
    throw new Error(`the topics were not made within ${withinMs} ms`)
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
    const { log, onDeadLetter, lookEveryMs } = this.#options
    const consumer = new StepConsumer(this.#link, log, {
      step,
      slots,
      topics: this.#topics,
      topicsMade: this.#keeper.made,
      maxWaitingPerLane: MAX_WAITING_PER_LANE,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      stallMs: STALL_MS,
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
    await atMost(CLOSE_MS, this.#closeInTurn())
    // Ends connections and retries that hang.
    this.#link.end()
  }

  async #closeInTurn(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer[Symbol.asyncDispose]()))
    await Promise.all([this.#publisher.close(), this.#slots.close()])
  }
}
