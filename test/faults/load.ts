import type { ServerResponse } from 'node:http'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { Random } from '#test/doubles/random.ts'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { Client } from '#test/doubles/service/client.ts'
import { type Answered, Customer, everyKind, type Order, type Refused } from '#test/doubles/service/customer.ts'
import { at } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { startSpeechEndpoint } from '#test/doubles/speech/speech-endpoint.ts'
import { mediaFiles } from '#test/doubles/world/media.ts'
import { startWorld, type WorldHandler } from '#test/doubles/world/world.ts'

const plans = ['starter', 'starter', 'pro', 'pro'] as const
/**
 * Pauses between posts. Two cores, shared with the engines, handle this load easily, so a job that is late here is a
 * lost job.
 */
const PAUSE_MS = [1000, 3000] as const
const HELD = '/held.mp4'
/** It ends soon: it is there for its debit and its refund. */
const missingOrder: Order = { url: at('/nothing.mp4'), mode: 'generate', end: 'video_unavailable' }
const heldOrder: Order = { url: at(HELD), mode: 'native', end: 'video_unavailable' }

/** A request for `held.mp4` that gets no answer until `answer` is called. */
export type Held = { requested: Promise<void>; answer(): void }

/** The outside world. Its `held.mp4` leaves one request waiting after each `hold`. */
export async function startOutside() {
  const made = await mediaFiles(['captioned.mp4', 'speech.mp3'])
  const holds: ((response: ServerResponse) => void)[] = []
  const waiting = new Set<ServerResponse>()
  const handler: WorldHandler = (_, response) => {
    const take = holds.shift()
    if (take === undefined) return void response.writeHead(404).end()
    waiting.add(response)
    take(response)
  }
  const world = await startWorld({ files: { ...Object.fromEntries(made), [HELD]: handler } })
  const speech = await startSpeechEndpoint()
  const model = await startChatEndpoint({ reply: () => '{"topic": "speech"}' })
  return {
    /** The variables that lead to it. */
    variables: {
      EGRESS_PROXY: world.proxyUrl,
      SPEECH_BASE_URL: speech.baseUrl,
      SPEECH_API_KEY: 'sk-faults',
      LLM_BASE_URL: model.baseUrl,
      LLM_API_KEY: 'sk-faults',
    },
    hold(): Held {
      const { promise, resolve } = Promise.withResolvers<ServerResponse>()
      holds.push(resolve)
      return {
        requested: promise.then(() => undefined),
        answer: () => void promise.then((response) => response.writeHead(404).end()),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const response of waiting) response.destroy()
      await model[Symbol.asyncDispose]()
      await speech[Symbol.asyncDispose]()
      await world.close()
    },
  }
}

export type Outside = Awaited<ReturnType<typeof startOutside>>

/** Customers who post jobs until they are stopped, and the events of these jobs. */
export class Load implements AsyncDisposable {
  readonly backDoor: BackDoor
  readonly clients: readonly Client[]
  readonly customers: readonly Customer[]
  /** All videos that may be requested. */
  readonly orders: readonly Order[] = [...everyKind, heldOrder]
  readonly #outside: Outside
  readonly #stop = new AbortController()
  readonly #shopping: Promise<unknown>
  readonly #extra: Answered[] = []

  private constructor(backDoor: BackDoor, clients: readonly Client[], outside: Outside, seed: number) {
    this.backDoor = backDoor
    this.clients = clients
    this.#outside = outside
    this.customers = clients.map((client, i) => new Customer(client, new Random(`${seed}/${i}`), everyKind, PAUSE_MS))
    this.#shopping = Promise.all(this.customers.map((customer) => customer.run(this.#stop.signal)))
  }

  static async start(base: string, storeUrl: string, outside: Outside, seed: number): Promise<Load> {
    const backDoor = new BackDoor(openEventStoreDb(storeUrl))
    const made = await Promise.all(plans.map((plan) => backDoor.organization({ plan })))
    const clients = made.map((one) => new Client(() => base, one))
    return new Load(backDoor, clients, outside, seed)
  }

  /** Every job with an answered acceptance. */
  get answered(): Answered[] {
    return [...this.customers.flatMap((customer) => customer.answered), ...this.#extra]
  }

  /** Every post that was answered with 503. */
  get refused(): Refused[] {
    return this.customers.flatMap(({ refused }) => refused)
  }

  /** Waits until this many more jobs have been accepted. */
  async accepted(count: number): Promise<void> {
    const before = this.answered.length
    await until(`${count} more jobs are accepted`, () => this.answered.length >= before + count, { seconds: 180 })
  }

  /** Posts a job for a video that does not answer its first request. */
  async orderHeld(): Promise<Held & { jobId: string }> {
    const [client] = this.clients
    if (client === undefined) throw new Error('there are no customers')
    const held = this.#outside.hold()
    const jobId = await client.enqueue({ url: at(HELD), mode: 'native' })
    this.#extra.push({ client, jobId, order: heldOrder, idempotencyKey: undefined })
    return { jobId, ...held }
  }

  /** Posts this many jobs of one organization at once. Each must be accepted. */
  async orderAtOnce(count: number): Promise<void> {
    const client = this.clients.at(-1)
    if (client === undefined) throw new Error('there are no customers')
    const post = async (): Promise<void> => {
      const jobId = await client.enqueue({ url: missingOrder.url, mode: 'generate' })
      this.#extra.push({ client, jobId, order: missingOrder, idempotencyKey: undefined })
    }
    await Promise.all(Array.from({ length: count }, post))
  }

  history(jobId: string): Promise<StoredEvent[]> {
    return this.backDoor.store.read(`job-${jobId}`)
  }

  async hasEnded(jobId: string): Promise<boolean> {
    return (await this.history(jobId)).some(({ type }) => type === 'JobCompleted' || type === 'JobFailed')
  }

  /** Stops the orders. Resolves when the last one was answered. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#shopping
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.backDoor[Symbol.asyncDispose]()
  }
}
