import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { until } from '#test/doubles/service/until.ts'
import { type EventStoreDouble, startEventStoreDouble } from '../server.ts'
import { brief, seen } from './seen.ts'

export type ReadStream = ReturnType<EventStoreDBClient['readStream']>
type Subscription =
  | ReturnType<EventStoreDBClient['subscribeToAll']>
  | ReturnType<EventStoreDBClient['subscribeToStream']>
export type Steps = Record<string, () => unknown>
type Event = ReturnType<typeof jsonEvent>

/** The option that makes the client send each append in its own call. */
export const alone = { credentials: { username: 'admin', password: 'changeit' } }

/** The double, on a folder of its own, and the real client. */
export class Setting {
  #client: EventStoreDBClient | undefined
  #double: EventStoreDouble | undefined
  #folder = ''

  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'replay-'))
    this.#double = await startEventStoreDouble({ path: join(this.#folder, 'log.sqlite') })
    this.#client = this.connect()
  }

  get client(): EventStoreDBClient {
    if (this.#client === undefined) throw new Error('not started')
    return this.#client
  }

  connect(parameters = ''): EventStoreDBClient {
    return EventStoreDBClient.connectionString(`${this.#double?.url}${parameters}`)
  }

  /** Restarts the server on the same data, with a new client. */
  async restart(): Promise<void> {
    await this.#double?.[Symbol.asyncDispose]()
    this.#double = await startEventStoreDouble({ path: join(this.#folder, 'log.sqlite') })
    this.#client = this.connect()
  }

  async stop(): Promise<void> {
    await this.#client?.dispose()
    await this.#double?.[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true })
  }

  append(stream: string, events: Event | Event[], options = {}) {
    return this.client.appendToStream(stream, events, options)
  }

  /** Appends events of type T, one by one. */
  async fill(stream: string, count: number): Promise<void> {
    for (const event of numbered(count)) await this.append(stream, event)
  }
}

export const one = (data: unknown = { n: 1 }, type = 'T'): Event => jsonEvent({ type, data: data as { n: number } })
export const numbered = (count: number): Event[] => Array.from({ length: count }, (_, n) => one({ n }))
/** An event with a string of this many characters as data. */
export const sized = (characters: number): Event => one({ s: 'x'.repeat(characters) })

/** The events of a subscription, in order, in the format of the recordings. */
export class Timeline {
  readonly entries: unknown[] = []
  readonly #subscription: Subscription

  constructor(subscription: Subscription) {
    this.#subscription = subscription
    const note = (...entry: unknown[]): void => void this.entries.push([0, ...entry])
    subscription.on('data', (item: object) => note('data', brief(item)))
    subscription.on('confirmation', () => note('confirmation', (subscription as { id?: string }).id))
    subscription.on('caughtUp', () => note('caughtUp'))
    subscription.on('error', (error) => note('error', seen(error)))
    subscription.on('end', () => note('end')).on('close', () => note('close'))
  }

  note(text: string): void {
    this.entries.push([0, text])
  }

  count(kind: string): number {
    return this.entries.filter((entry) => Array.isArray(entry) && entry[1] === kind).length
  }

  /** Waits until something has happened this many times. */
  async has(kind: string, times = 1): Promise<void> {
    await until(`${kind} ${times} times`, () => this.count(kind) >= times, { everyMs: 5 })
  }

  /** Unsubscribes, and returns all that was noted. */
  async leave(): Promise<unknown[]> {
    const closed = once(this.#subscription, 'close')
    await this.#subscription.unsubscribe()
    await closed
    return this.entries
  }
}
