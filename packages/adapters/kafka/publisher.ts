import { setTimeout as sleep } from 'node:timers/promises'
import { type Message, Partitioners, type Producer } from 'kafkajs'
import { atMost } from './at-most.ts'
import type { KafkaLink } from './link.ts'

/** The most messages of one send. */
const MAX_BATCH = 100

/** The most messages that may wait to be sent; further ones are refused. */
const MAX_WAITING = 20_000

/** A message that could not be sent within this time is rejected with the error, milliseconds. */
const GIVE_UP_MS = 30_000

const AGAIN_AFTER_MS = 250

const publishingInWords = 'publishing'

type Waiting = { message: Message; resolve(): void; reject(error: unknown): void }
type Batch = { topic: string; partition: number; waiting: Waiting[] }

const keyOf = (topic: string, partition: number): string => `${topic}/${partition}`

/**
 * Sends messages to partitions; all replicas in sync acknowledge them. Only one send is under way at a time, because
 * kafkajs reorders concurrent sends of an idempotent producer. Messages that arrive meanwhile wait and are sent
 * together.
 * If a partition moves during a send to several, kafkajs may resolve without having sent to it (its issue 1303). Then
 * the answer lacks that partition.
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

  /** @param onSend called with each topic of a send before it begins */
  constructor(link: KafkaLink, onSend: (topic: string) => void = () => {}) {
    this.#link = link
    this.#onSend = onSend
  }

  /**
   * Resolves when the message is in the log of its partition.
   * @throws Error the brokers did not accept it within half a minute, too many wait, or the queue is closed; the
   * message may be in the log all the same
   */
  async send(topic: string, partition: number, message: Message): Promise<void> {
    if (this.#closed) throw new Error('the work queue is closed')
    if (this.#waiting >= MAX_WAITING) throw new Error(`${this.#waiting} messages wait to be sent already`)
    this.#waiting += 1
    const key = keyOf(topic, partition)
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
    await atMost(2000, this.#sending)
    if (this.#producer) await this.#link.close(this.#producer)
  }

  async #sendAll(): Promise<void> {
    // Messages published in the same turn of the event loop share a send.
    await Promise.resolve()
    while (this.#batches.size > 0) {
      const batches = this.#nextBatches()
      for (const topic of new Set(batches.map((batch) => batch.topic))) this.#onSend(topic)
      if (batches.length > 1 && (await this.#areSent(batches))) continue
      // Sent one by one: a refused batch does not hold back the others.
      for (const batch of batches) await this.#sendAlone(batch)
    }
    this.#sending = undefined
  }

  /** The batches that have waited longest, over all partitions. */
  #nextBatches(): Batch[] {
    const next: Batch[] = []
    let left = MAX_BATCH
    for (const [key, batch] of this.#batches) {
      if (left === 0) break
      const waiting = batch.waiting.splice(0, left)
      left -= waiting.length
      if (batch.waiting.length === 0) this.#batches.delete(key)
      next.push({ ...batch, waiting })
    }
    this.#waiting -= MAX_BATCH - left
    return next
  }

  async #areSent(batches: readonly Batch[]): Promise<boolean> {
    try {
      await this.#trySend(batches)
      return true
    } catch {
      await this.#dropProducer()
      return false
    }
  }

  async #sendAlone(batch: Batch): Promise<void> {
    const { ended } = this.#link
    for (const giveUpAt = Date.now() + GIVE_UP_MS; ; ) {
      try {
        return await this.#trySend([batch])
      } catch (error) {
        await this.#dropProducer()
        if (ended.aborted || Date.now() >= giveUpAt) {
          for (const { reject } of batch.waiting) reject(ended.aborted ? ended.reason : error)
          return
        }
        const message = 'messages could not be sent; they are sent again'
        this.#link.troubles.failed(publishingInWords, error, message)
        await sleep(AGAIN_AFTER_MS)
      }
    }
  }

  async #trySend(batches: readonly Batch[]): Promise<void> {
    this.#producer ??= await this.#connect()
    const topicMessages = [...Map.groupBy(batches, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
      topic,
      messages: ofTopic.flatMap(({ waiting }) => waiting.map(({ message }) => message)),
    }))
    const answers = await this.#producer.sendBatch({ topicMessages, acks: -1, timeout: 10_000 })
    const answered = new Set(answers.map(({ topicName, partition }) => keyOf(topicName, partition)))
    for (const { topic, partition } of batches)
      if (!answered.has(keyOf(topic, partition))) throw new Error(`the answer lacks partition ${partition} of ${topic}`)
    this.#link.troubles.answered(publishingInWords)
    for (const { waiting } of batches) for (const { resolve } of waiting) resolve()
  }

  async #connect(): Promise<Producer> {
    const producer = this.#link.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // Never called, because each message names its partition; without it kafkajs warns.
      createPartitioner: Partitioners.DefaultPartitioner,
      metadataMaxAge: 30_000,
    })
    await producer.connect()
    return producer
  }

  /**
   * After a failed send, the broker may have the messages or not. This producer would reuse their sequence numbers. A
   * broker that has seen these numbers would acknowledge new messages as repeats without storing them.
   */
  async #dropProducer(): Promise<void> {
    const producer = this.#producer
    this.#producer = undefined
    if (producer) await this.#link.close(producer)
  }
}
