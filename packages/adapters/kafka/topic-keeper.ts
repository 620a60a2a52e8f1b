import { setTimeout as sleep } from 'node:timers/promises'
import { Notifier } from '../notifier.ts'
import type { KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import { ensureTopics, type TopicOptions, type Topics } from './topics.ts'

/** How often to look for deleted topics and new partitions, milliseconds: nothing reports them. */
const LOOK_EVERY_MS = 30_000

/** The pause after the brokers did not answer, milliseconds. */
const TRY_AGAIN_AFTER_MS = 500

const topicsInWords = 'the topics'

export type TopicKeeperOptions = TopicOptions & { lookEveryMs?: number }

/**
 * Keeps the topics in existence while the link lasts. Creates them once there are brokers, and again if they are
 * deleted.
 */
export class TopicKeeper {
  /** The number of partitions of each topic; empty before the topics exist. */
  readonly counts = new Map<string, number>()
  /** Resolves when all topics exist for the first time; never if the link ends before. */
  readonly made: Promise<void>
  readonly #link: KafkaLink
  readonly #topics: Topics
  readonly #options: TopicKeeperOptions
  readonly #log: KafkaLog
  readonly #missed = new Notifier()
  #looking: Promise<string | undefined> | undefined

  constructor(link: KafkaLink, topics: Topics, options: TopicKeeperOptions, log: KafkaLog) {
    this.#link = link
    this.#topics = topics
    this.#options = options
    this.#log = log
    this.made = new Promise((resolve) => {
      void this.#keep(resolve)
    })
  }

  /**
   * Resolves with the reason why tasks cannot be published and received; undefined if they can.
   * @throws RefusedError the brokers refuse, thrown at once
   * @throws Error they do not answer
   */
  look(): Promise<string | undefined> {
    const { refusal } = this.#link.troubles
    if (refusal !== undefined) return Promise.reject(refusal)
    this.#looking ??= this.#look()
      .catch((error: unknown) => {
        // The loop that creates the topics finds out why.
        this.#missed.notify()
        throw error
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #look(): Promise<string | undefined> {
    const names = this.#topics.all
    const { there, led } = await this.#link.withAdmin(async (admin) => {
      const there = new Set(await admin.listTopics())
      if (names.some((name) => !there.has(name))) return { there, led: true }
      const { topics } = await admin.fetchTopicMetadata({ topics: names })
      return { there, led: topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0)) }
    })
    if (!led) return 'Kafka has partitions without a leader'
    const missing = names.filter((name) => !there.has(name))
    if (missing.length === 0) return undefined
    this.#missed.notify()
    return `Kafka lacks the topics ${missing.join(', ')}`
  }

  async #keep(onMade: () => void): Promise<void> {
    const { ended } = this.#link
    while (!ended.aborted) {
      let pauseMs = this.#options.lookEveryMs ?? LOOK_EVERY_MS
      try {
        await this.#ensure()
        onMade()
        this.#link.troubles.answered(topicsInWords)
      } catch (error) {
        if (ended.aborted) return
        pauseMs = TRY_AGAIN_AFTER_MS
        const message = 'the topics could not be looked after; trying again'
        this.#link.troubles.failed(topicsInWords, error, message)
      }
      const over = new AbortController()
      const pause = sleep(pauseMs, undefined, { signal: AbortSignal.any([ended, over.signal]) }).catch(() => {})
      await Promise.race([pause, this.#missed.wait(over.signal)])
      over.abort()
    }
  }

  async #ensure(): Promise<void> {
    const { counts, made } = await this.#link.withAdmin((admin) => ensureTopics(admin, this.#topics, this.#options))
    if (made.length > 0 && this.counts.size > 0)
      this.#log.error({ topics: made }, 'topics were gone and have been made anew: their tasks are published again')
    for (const [topic, count] of counts) this.counts.set(topic, count)
  }
}
