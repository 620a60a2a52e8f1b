import type { Response } from 'express'
import { writeTo } from '#packages/foundation/concurrency/write-to.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { contextOf, setContextHeaders } from '../requests/request-context.ts'
import { addJobHeaders } from './answers.ts'

/** One event of a stream: its `event:` and `data:` lines, and its `id:` if a reader can resume after it. */
export type SentEvent = { id?: number; event: string; data: unknown }

/** Interval of the keep-alive comments on a quiet stream, milliseconds. */
const BEAT_EVERY_MS = 15_000

/** A comment, which readers skip. */
const BEAT = ': beat\n\n'

/** Writes server-sent events as the answer to a request. */
export class EventStream {
  readonly #response: Response
  readonly #clock: Clock
  #beatAt: number

  /** Sends the headers. The type is set first, because connections exempt event streams from the answer time limit. */
  constructor(response: Response, clock: Clock) {
    contextOf(response).lasts()
    addJobHeaders(contextOf(response))
    setContextHeaders(response)
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
    // A proxy that compresses or buffers would hold events back until the stream ends.
    response.setHeader('Cache-Control', 'no-store, no-transform')
    response.setHeader('X-Accel-Buffering', 'no')
    response.setHeader('Vary', 'Accept')
    response.statusCode = 200
    response.flushHeaders()
    this.#response = response
    this.#clock = clock
    this.#beatAt = clock.now() + BEAT_EVERY_MS
  }

  /** Resolves when the reader has room for more, or the signal is aborted. */
  async send({ id, event, data }: SentEvent, signal: AbortSignal): Promise<void> {
    const named = id === undefined ? '' : `id: ${id}\n`
    await this.#write(`${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`, signal)
  }

  /** Sends a keep-alive comment if nothing was sent for a while. */
  async beat(signal: AbortSignal): Promise<void> {
    if (this.#clock.now() >= this.#beatAt) await this.#write(BEAT, signal)
  }

  async #write(text: string, signal: AbortSignal): Promise<void> {
    await writeTo(this.#response, text, signal)
    this.#beatAt = this.#clock.now() + BEAT_EVERY_MS
  }
}
