import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { type Answer, type Client, errorCodeOf } from './client.ts'
import { at } from './setting.ts'

/** A request for a job, and the job's end if the service works. Without a mode it is an extraction. */
export type Order = {
  url: string
  mode: string | null
  end: 'completed' | 'captions_unavailable' | 'video_unavailable'
}

/** Every kind of job and end. Most are cheap, so that many jobs are under way on few cores. */
export const everyKind: readonly [Order, ...Order[]] = [
  { url: at('/captioned.mp4'), mode: 'native', end: 'completed' },
  { url: at('/captioned.mp4?another=1'), mode: 'auto', end: 'completed' },
  { url: at('/speech.mp3'), mode: 'native', end: 'captions_unavailable' },
  { url: at('/nothing.mp4'), mode: 'generate', end: 'video_unavailable' },
  { url: at('/speech.mp3'), mode: 'auto', end: 'completed' },
  { url: at('/speech.mp3?another=1'), mode: 'generate', end: 'completed' },
  { url: at('/speech.mp3'), mode: null, end: 'completed' },
]

/** Where an order is posted, and where it is polled. */
export const endpointOf = ({ mode }: Order): '/v1/extract' | '/v1/transcript' =>
  mode === null ? '/v1/extract' : '/v1/transcript'

const bodyOf = ({ url, mode }: Order): object => (mode === null ? { url, prompt: 'What is it about?' } : { url, mode })

export type Answered = { client: Client; jobId: string; order: Order; idempotencyKey: string | undefined }

/** Waits for the ends of jobs as their customers see them. @returns those that differ from the ends of their orders */
export async function answeredOtherwise(answered: readonly Answered[]) {
  const seen = answered.map(async ({ client, jobId, order }) => {
    const answer = await client.ended(jobId)
    return { jobId, order, end: errorCodeOf(answer) ?? answer.body.status, text: answer.text.slice(0, 300) }
  })
  return (await Promise.all(seen)).filter(({ end, order }) => end !== order.end)
}

/** When a post was sent, and when it was refused, in milliseconds of `performance.now()`. */
export type Refused = { askedAt: number; answeredAt: number; text: string }

/**
 * A customer who posts jobs while the service is up. After a lost answer it repeats the post under its Idempotency-Key,
 * if it has one.
 */
export class Customer {
  readonly answered: Answered[] = []
  /** Posts that got no answer and were not repeated. */
  unanswered = 0
  /** Posts that were answered with 503. */
  readonly refused: Refused[] = []
  /** Answers that no customer should get. */
  readonly complaints: string[] = []
  readonly #client: Client
  readonly #chance: Random
  readonly #orders: readonly [Order, ...Order[]]
  readonly #pauseMs: readonly [number, number]

  /** @param pauseMs the shortest and the longest pause after an answer, milliseconds */
  constructor(
    client: Client,
    chance: Random,
    orders: readonly [Order, ...Order[]],
    pauseMs: readonly [number, number] = [100, 700],
  ) {
    this.#client = client
    this.#chance = chance
    this.#orders = orders
    this.#pauseMs = pauseMs
  }

  /** Posts until `stop` is aborted. Open orders still get their answer, or are given up. */
  async run(stop: AbortSignal): Promise<void> {
    for (let n = 0; !stop.aborted; n++) {
      const order = this.#chance.pick(this.#orders)
      const idempotencyKey = this.#chance.chance(0.5) ? `order ${n}` : undefined
      await this.#place(order, idempotencyKey, stop)
      await sleep(this.#chance.between(...this.#pauseMs), undefined, { signal: stop }).catch(() => {})
    }
  }

  async #place(order: Order, idempotencyKey: string | undefined, stop: AbortSignal): Promise<void> {
    const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    for (;;) {
      const askedAt = performance.now()
      const answer = await this.#client.post(endpointOf(order), bodyOf(order), headers).catch(() => undefined)
      if (answer !== undefined && answer.status !== 503) return this.#note(answer, order, idempotencyKey)
      if (answer !== undefined) this.refused.push({ askedAt, answeredAt: performance.now(), text: answer.text })
      if (idempotencyKey === undefined || stop.aborted) break
      await sleep(100)
    }
    this.unanswered += 1
  }

  #note({ status, body, text }: Answer, order: Order, idempotencyKey: string | undefined): void {
    if (status === 202 && body.jobId !== undefined)
      this.answered.push({ client: this.#client, jobId: body.jobId, order, idempotencyKey })
    else this.complaints.push(`${status} ${text}`)
  }
}
