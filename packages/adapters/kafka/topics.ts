import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin } from 'kafkajs'
import { type Lane, lanes, type Step, steps } from '#packages/domain/job/events.ts'

const SERVED_WITHIN_MS = 15_000
const HOUR_MS = 3_600_000

/** A task is useless after its job's window; a dead letter waits for a person. */
const TASKS_KEPT_MS = 24 * HOUR_MS
const DEAD_LETTERS_KEPT_MS = 30 * 24 * HOUR_MS

/** Tasks are below 1 KiB. A dead letter may be larger: it holds whatever message came instead of a task. */
const MAX_DEAD_LETTER_BYTES = 4 * 1024 * 1024

/** Services that elect one owner among their processes, each in its own group. */
export type OwnedService = 'orchestrator' | 'projections' | 'webhooks' | 'batches' | 'watches'

/** The names of the topics: `video.{step}.{lane}`, `video.dead-letter` and `video.owner`. */
export class Topics {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  get deadLetter(): string {
    return `${this.#prefix}.dead-letter`
  }

  of(step: Step, lane: Lane): string {
    return `${this.#prefix}.${step}.${lane}`
  }

  /** The group of all consumers of a step. */
  groupOf(step: Step): string {
    return `${this.#prefix}.${step}`
  }

  /**
   * The topic for elections: the member with its only partition owns its service's work. Nothing is ever written to it.
   */
  get owner(): string {
    return `${this.#prefix}.owner`
  }

  /** The group of the processes that elect the owner of one service. */
  groupOfOwner(service: OwnedService): string {
    return `${this.#prefix}.${service}`
  }

  get tasks(): string[] {
    return steps.flatMap((step) => lanes.map((lane) => this.of(step, lane)))
  }

  get all(): string[] {
    return [...this.tasks, this.deadLetter, this.owner]
  }
}

export type TopicOptions = {
  /**
   * Partitions of each topic of tasks, which is how many consumers of a step can work at once. More may be added later.
   */
  partitions: number
  /** How many brokers hold each partition. 0: three, or all if there are fewer. */
  replication: number
}

/**
 * Creates the topics and partitions that are missing.
 * @returns how many partitions each topic has, and the names of the created topics
 */
export async function ensureTopics(
  admin: Admin,
  topics: Topics,
  options: TopicOptions,
): Promise<{ counts: Map<string, number>; made: string[] }> {
  const there = new Set(await admin.listTopics())
  const made = topics.all.filter((name) => !there.has(name))
  if (made.length > 0) await makeTopics(admin, topics, options, made)
  const counts = await countPartitions(admin, topics)
  const tooFew = topics.tasks.filter((name) => (counts.get(name) ?? 0) < options.partitions)
  if (tooFew.length === 0) return { counts, made }
  await admin.createPartitions({ topicPartitions: tooFew.map((name) => ({ topic: name, count: options.partitions })) })
  await whenServed(admin, tooFew)
  return { counts: await countPartitions(admin, topics), made }
}

async function makeTopics(
  admin: Admin,
  topics: Topics,
  { partitions, replication }: TopicOptions,
  names: readonly string[],
): Promise<void> {
  const { brokers } = await admin.describeCluster()
  const replicationFactor = replication || Math.min(3, brokers.length)
  const configOf = (keptMs: number) => [
    { name: 'min.insync.replicas', value: String(replicationFactor > 2 ? 2 : 1) },
    { name: 'retention.ms', value: String(keptMs) },
  ]
  const deadLetters = [
    ...configOf(DEAD_LETTERS_KEPT_MS),
    { name: 'max.message.bytes', value: String(MAX_DEAD_LETTER_BYTES) },
  ]
  await admin.createTopics({
    timeout: 15_000,
    // A slow broker does not know of a new topic for a moment. kafkajs takes that for a failure; `whenServed` waits.
    waitForLeaders: false,
    topics: names.map((topic) => {
      if (topic === topics.deadLetter) return { topic, numPartitions: 1, replicationFactor, configEntries: deadLetters }
      const numPartitions = topic === topics.owner ? 1 : partitions
      return { topic, numPartitions, replicationFactor, configEntries: configOf(TASKS_KEPT_MS) }
    }),
  })
  await whenServed(admin, names)
}

async function countPartitions(admin: Admin, topics: Topics): Promise<Map<string, number>> {
  const { topics: found } = await admin.fetchTopicMetadata({ topics: topics.all })
  return new Map(found.map(({ name, partitions }) => [name, partitions.length]))
}

/** For a moment, leaders refuse new partitions. */
async function whenServed(admin: Admin, names: readonly string[]): Promise<void> {
  const giveUpAt = Date.now() + SERVED_WITHIN_MS
  for (const name of names)
    while (!(await admin.fetchTopicOffsets(name).catch(() => undefined))) {
      if (Date.now() > giveUpAt) throw new Error(`the brokers do not serve all partitions of ${name}`)
      await sleep(50)
    }
}
