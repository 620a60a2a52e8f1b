import { randomUUID } from 'node:crypto'
import type { IHeaders, KafkaMessage } from 'kafkajs'
import { type DeadLetter, type DeadLetters, UnknownDeadLetterError } from '#packages/ports/work-queue.ts'
import type { KafkaLink } from './link.ts'
import type { Publisher } from './publisher.ts'

/** The place that a message came from. */
export type Origin = { topic: string; partition: number; message: KafkaMessage }

const MAX_REASON_CHARS = 1000
const MAX_LISTED = 1000

/** A message of the dead-letter topic is the original message byte for byte, with these headers. */
const HEADER = { reason: 'reason', topic: 'topic', partition: 'partition', offset: 'offset', replayed: 'replayed' }

type Letter = DeadLetter & { topic: string; value: Buffer | null }

const headerOf = (headers: IHeaders | undefined, name: string): string | undefined => headers?.[name]?.toString()

/** The topic of messages that could not be handled. It has one partition, and the offsets are the ids. */
export class DeadLetterTopic implements DeadLetters {
  readonly #link: KafkaLink
  readonly #topic: string
  readonly #publisher: Publisher
  readonly #republish: (topic: string, value: Buffer | null) => Promise<void>

  /** @param republish sends a message to the next partition of its topic */
  constructor(
    link: KafkaLink,
    topic: string,
    publisher: Publisher,
    republish: (topic: string, value: Buffer | null) => Promise<void>,
  ) {
    this.#link = link
    this.#topic = topic
    this.#publisher = publisher
    this.#republish = republish
  }

  /** Resolves when the message is stored. */
  async setAside({ topic, partition, message }: Origin, reason: string): Promise<void> {
    const headers = {
      [HEADER.reason]: reason.slice(0, MAX_REASON_CHARS),
      [HEADER.topic]: topic,
      [HEADER.partition]: String(partition),
      [HEADER.offset]: message.offset,
    }
    await this.#publisher.send(this.#topic, 0, { value: message.value, headers })
  }

  async listDeadLetters(): Promise<DeadLetter[]> {
    return (await this.#read()).map(({ id, at, reason, message }) => ({ id, at, reason, message }))
  }

  async replayDeadLetter(id: string): Promise<void> {
    const letter = (await this.#read()).find((each) => each.id === id)
    if (letter === undefined) throw new UnknownDeadLetterError(id)
    await this.#republish(letter.topic, letter.value)
    await this.#publisher.send(this.#topic, 0, { value: null, headers: { [HEADER.replayed]: id } })
  }

  async #read(): Promise<Letter[]> {
    const letters = new Map<string, Letter>()
    await this.#readAll(({ offset, timestamp, value, headers }) => {
      const replayed = headerOf(headers, HEADER.replayed)
      if (replayed !== undefined) letters.delete(replayed)
      else
        letters.set(offset, {
          id: offset,
          at: Number(timestamp),
          reason: headerOf(headers, HEADER.reason) ?? '',
          message: value?.toString() ?? '',
          topic: headerOf(headers, HEADER.topic) ?? '',
          value,
        })
      const [oldest] = letters.keys()
      if (letters.size > MAX_LISTED && oldest !== undefined) letters.delete(oldest)
    })
    return [...letters.values()]
  }

  /** Reads the topic from its start to its present end, as a temporary group that is deleted afterwards. */
  async #readAll(take: (message: KafkaMessage) => void): Promise<void> {
    await this.#link.withAdmin(async (admin) => {
      const [partition] = await admin.fetchTopicOffsets(this.#topic)
      const end = Number(partition?.high ?? 0)
      if (end <= Number(partition?.low ?? 0)) return
      const groupId = `${this.#topic}.${randomUUID()}`
      const consumer = this.#link.kafka.consumer({
        groupId,
        maxWaitTimeInMs: 200,
        allowAutoTopicCreation: false,
      })
      try {
        await consumer.connect()
        await consumer.subscribe({ topics: [this.#topic], fromBeginning: true })
        await new Promise<void>((resolve, reject) => {
          consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
          const eachMessage = async ({ message }: { message: KafkaMessage }): Promise<void> => {
            const offset = Number(message.offset)
            if (offset < end) take(message)
            if (offset + 1 >= end) resolve()
          }
          consumer.run({ autoCommit: false, eachMessage }).catch(reject)
        })
      } finally {
        await this.#link.close(consumer)
        // The group has no offsets. If it cannot be deleted now, the broker drops it later.
        await admin.deleteGroups([groupId]).catch(() => {})
      }
    })
  }
}
