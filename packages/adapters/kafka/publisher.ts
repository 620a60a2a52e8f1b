import { setTimeout as sleep } from 'node:timers/promises'
import { type Message, Partitioners, type Producer } from 'kafkajs'
import type { KafkaLink } from './link.ts'

/** Messages of one send. */
const MAX_BATCH = 100

/** Messages that may wait to be sent; one more is refused. */
const MAX_WAITING = 20_000

/** A message that could not be sent within this time is rejected with the error, milliseconds. */
const GIVE_UP_MS = 30_000

const AGAIN_AFTER_MS = 250

const publishingInWords = 'publishing'

type Waiting = { message: Message; resolve(): void; reject(error: unknown): void }
type Batch = { topic: string; partition: number; waiting: Waiting[] }

/**
 * Sends messages to partitions, acknowledged by all replicas in sync. One send is under way at a time, to one
 * partition: kafkajs loses acknowledged messages of sends to several partitions (its issue 1303), and reorders
 * concurrent sends of an idempotent producer. What comes meanwhile waits, and goes together.
 */
export class Publisher {
  readonly #link: KafkaLink
  readonly #onSend: (topic: string) => void
  /** By topic and partition, in the order in which they began to wait. */
  readonly #batches = new Map<string, Batch>()
  #waiting = 0
  #producer: Producer | undefined
  #sending: Promise<void> | undefined
  #closed = false

  /** @param onSend is called with the topic of each send before it begins */
  constructor(link: KafkaLink, onSend: (topic: string) => void = () => {}) {
    this.#link = link
    this.#onSend = onSend
  }

  /**
   * Resolves when the message is in the log of its partition.
   * @throws Error the brokers did not accept it within half a minute, too many wait, or the queue is closed; the
   *   message may be in the log all the same
   */
  async send(topic: string, partition: number, message: Message): Promise<void> {
    if (this.#closed) throw new Error('the work queue is closed')
    if (this.#waiting >= MAX_WAITING) throw new Error(`${this.#waiting} messages wait to be sent already`)
    this.#waiting += 1
    const key = `${topic}/${partition}`
    const batch = this.#batches.get(key) ?? { topic, partition, waiting: [] }
    this.#batches.set(key, batch)
    return new Promise((resolve, reject) => {
      batch.waiting.push({ message: { ...message, partition }, resolve, reject })
      this.#sending ??= this.#sendAll()
    })
  }

  /** Sends the waiting messages, for as long as `close` of the link allows, and accepts no more. */
  async close(): Promise<void> {
    this.#closed = true
    const patience = new AbortController()
    await Promise.race([this.#sending, sleep(2000, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
    if (this.#producer) await this.#link.close(this.#producer)
  }

  async #sendAll(): Promise<void> {
    // Messages published in the same turn of the event loop go into one send.
    await Promise.resolve()
    for (let batch = this.#nextBatch(); batch !== undefined; batch = this.#nextBatch()) {
      const { topic, waiting } = batch
      this.#waiting -= waiting.length
      this.#onSend(topic)
      try {
        await this.#sendBatch(batch)
        for (const { resolve } of waiting) resolve()
      } catch (error) {
        for (const { reject } of waiting) reject(error)
      }
    }
    this.#sending = undefined
  }

  #nextBatch(): Batch | undefined {
    const [first] = this.#batches
    if (first === undefined) return undefined
    const [key, batch] = first
    this.#batches.delete(key)
    const waiting = batch.waiting.splice(0, MAX_BATCH)
    if (batch.waiting.length > 0) this.#batches.set(key, batch)
    return { ...batch, waiting }
  }

  async #sendBatch(batch: Batch): Promise<void> {
    for (const giveUpAt = Date.now() + GIVE_UP_MS; ; ) {
      try {
        await this.#trySend(batch)
        this.#link.troubles.answered(publishingInWords)
        return
      } catch (error) {
        await this.#dropProducer()
        if (this.#link.ended.aborted) throw this.#link.ended.reason
        if (Date.now() >= giveUpAt) throw error
        const message = 'messages could not be sent; they are sent again'
        this.#link.troubles.failed(publishingInWords, error, message)
        await sleep(AGAIN_AFTER_MS)
      }
    }
  }

  async #trySend({ topic, partition, waiting }: Batch): Promise<void> {
    this.#producer ??= await this.#connect()
    const messages = waiting.map(({ message }) => message)
    const answers = await this.#producer.send({ topic, acks: -1, timeout: 10_000, messages })
    const answered = answers.some((answer) => answer.topicName === topic && answer.partition === partition)
    if (!answered) throw new Error(`the answer lacks partition ${partition} of ${topic}`)
  }

  async #connect(): Promise<Producer> {
    const producer = this.#link.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // Never called, as each message names its partition; without it kafkajs warns.
      createPartitioner: Partitioners.DefaultPartitioner,
      metadataMaxAge: 30_000,
    })
    await producer.connect()
    return producer
  }

  /**
   * After a failed send it is unknown whether the broker has the messages. This producer would reuse their sequence
   * numbers for the next ones, and a broker that has seen the numbers would acknowledge those as repeats without
   * storing them.
   */
  async #dropProducer(): Promise<void> {
    const producer = this.#producer
    this.#producer = undefined
    if (producer) await this.#link.close(producer)
  }
}
