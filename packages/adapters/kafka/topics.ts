import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin } from 'kafkajs'
import type { Lane, Step } from '#packages/ports/work-queue.ts'

export const lanes: readonly Lane[] = ['standard', 'priority']
const steps: readonly Step[] = ['fetch', 'caption', 'speech-to-text', 'extract']

const SERVED_WITHIN_MS = 15_000
const HOUR_MS = 3_600_000

/** A task is worth nothing after its job's window; a dead letter waits for a person. */
const TASKS_KEPT_MS = 24 * HOUR_MS
const DEAD_LETTERS_KEPT_MS = 30 * 24 * HOUR_MS

/** Tasks are below 1 KiB. What came instead of one goes to the dead letters whole, so these hold more. */
const MAX_DEAD_LETTER_BYTES = 4 * 1024 * 1024

/** The names of the topics: `video.{step}.{lane}` and `video.dead-letter`. */
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

  get tasks(): string[] {
    return steps.flatMap((step) => lanes.map((lane) => this.of(step, lane)))
  }
}

export type TopicOptions = {
  /** Partitions of each topic of tasks: as many consumers of a step can work at once. More may be added later. */
  partitions: number
  /** Brokers that hold each partition. 0: three, or as many as there are. */
  replication: number
}

/**
 * Makes the topics that are missing and adds the partitions that are missing.
 * @returns how many partitions each topic has
 */
export async function ensureTopics(admin: Admin, topics: Topics, options: TopicOptions): Promise<Map<string, number>> {
  const { brokers } = await admin.describeCluster()
  const replicationFactor = options.replication || Math.min(3, brokers.length)
  const inSync = String(replicationFactor > 2 ? 2 : 1)
  const topic = (name: string, numPartitions: number, keptMs: number, ...more: { name: string; value: string }[]) => ({
    topic: name,
    numPartitions,
    replicationFactor,
    configEntries: [
      { name: 'min.insync.replicas', value: inSync },
      { name: 'retention.ms', value: String(keptMs) },
      ...more,
    ],
  })
  const areNew = await admin.createTopics({
    timeout: 15_000,
    topics: [
      ...topics.tasks.map((name) => topic(name, options.partitions, TASKS_KEPT_MS)),
      topic(topics.deadLetter, 1, DEAD_LETTERS_KEPT_MS, {
        name: 'max.message.bytes',
        value: String(MAX_DEAD_LETTER_BYTES),
      }),
    ],
  })
  const counts = await countPartitions(admin, topics)
  if (areNew) await whenServed(admin, topics.tasks)
  const tooFew = topics.tasks.filter((name) => (counts.get(name) ?? 0) < options.partitions)
  if (tooFew.length === 0) return counts
  await admin.createPartitions({ topicPartitions: tooFew.map((name) => ({ topic: name, count: options.partitions })) })
  await whenServed(admin, tooFew)
  return countPartitions(admin, topics)
}

async function countPartitions(admin: Admin, topics: Topics): Promise<Map<string, number>> {
  const { topics: found } = await admin.fetchTopicMetadata({ topics: [...topics.tasks, topics.deadLetter] })
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
