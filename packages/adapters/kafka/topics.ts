import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin } from 'kafkajs'
import { type Lane, lanes, type Step, steps } from '#packages/domain/job/events.ts'

const SERVED_WITHIN_MS = 15_000
const HOUR_MS = 3_600_000

/** A task is useless after its job's window; a dead letter waits for a person. */
const TASKS_KEPT_MS = 24 * HOUR_MS
const DEAD_LETTERS_KEPT_MS = 30 * 24 * HOUR_MS

/** Tasks are below 1 KiB. Dead letters may be larger: they keep whatever message came instead of a task. */
const MAX_DEAD_LETTER_BYTES = 4 * 1024 * 1024

/** Services whose processes elect one owner, each in a group of its own. */
export type OwnedService = 'orchestrator' | 'projections' | 'webhooks'

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

  /** The consumers of a step share this group. */
  groupOf(step: Step): string {
    return `${this.#prefix}.${step}`
  }

  /** Nothing is ever written to it: who is assigned its only partition is the owner of his service's work. */
  get owner(): string {
    return `${this.#prefix}.owner`
  }

  /** The processes that elect the owner of one service share this group. */
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
   * Partitions of each topic of tasks: the number of consumers of a step that can work at once. More may be added
   * later.
   */
  partitions: number
  /** Brokers that hold each partition. 0: three, or as many as there are. */
  replication: number
}

/**
 * Makes the topics that are missing and adds the partitions that are missing.
 * @returns how many partitions each topic has, and the names of the topics that were made
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

/** New partitions are refused by their leaders for a moment. */
async function whenServed(admin: Admin, names: readonly string[]): Promise<void> {
  const giveUpAt = Date.now() + SERVED_WITHIN_MS
  for (const name of names)
    while (!(await admin.fetchTopicOffsets(name).catch(() => undefined))) {
      if (Date.now() > giveUpAt) throw new Error(`the brokers do not serve all partitions of ${name}`)
      await sleep(50)
    }
}
