import { randomBytes } from 'node:crypto'
import type { Credentials, EventStoreDBClient } from '@eventstore/db-client'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { Appended } from '#packages/ports/event-store.ts'
import { type AppendAnswer, appendAnswerOf, appendedOf, type Proposed, requestOf } from './append-request.ts'
import { ChannelCall } from './channel-call.ts'
import { type Carried, type ClientInternals, internalsOf, type Stubs } from './client-internals.ts'

const { path } = services.StreamsService.batchAppend

/** An append and its caller. `at`: when it was written to the stream; until then, when it began to wait for that. */
type Waiting = PromiseWithResolvers<Appended> & { proposed: Proposed; at: number }

/** Appends without an answer at once. The next ones wait here: the server does not do more by having more. */
export const mostOutstanding = 256

export type BatchAppendOptions = {
  credentials: Credentials
  /** How long the server may take for the answer to an append, from when it is written, milliseconds. */
  deadlineMs: number
}

/**
 * All appends of one client, over one stream of requests and answers: half the CPU of a call for each. The stream is
 * opened for the first append, and after a failure for the next. (The client's own is not used: it ignores deadlines,
 * and one failure fails the appends of other clients as well.)
 *
 * An append has failed where the stream did, where it is without an answer for longer than the deadline, or where the
 * stream could not be opened in that time. It may have been stored: repeat the identical one.
 */
export class BatchAppend implements Disposable {
  readonly #client: ClientInternals
  readonly #options: BatchAppendOptions
  /** Answers name their request by this and a number. */
  readonly #half = randomBytes(6).readUIntBE(0, 6)
  readonly #outstanding = new Map<number, Waiting>()
  #queue: Waiting[] = []
  #call: ChannelCall | undefined
  #isOpening = false
  /** True until the stream has taken a message: the next one would wait unseen. */
  #isSending = false
  #sent: () => void = () => undefined
  #isClosed = false
  #written = 0
  #heardAt = 0
  /** One for all deadlines. */
  #timer: NodeJS.Timeout | undefined

  constructor(client: EventStoreDBClient, options: BatchAppendOptions) {
    this.#client = internalsOf(client)
    this.#options = options
  }

  /** While it is, the connection has not been down. */
  get isOpen(): boolean {
    return this.#call !== undefined
  }

  /** @throws the client's errors @throws Error the stream failed, or there was no answer in time */
  append(proposed: Proposed): Promise<Appended> {
    const waiting: Waiting = { ...Promise.withResolvers(), proposed, at: performance.now() }
    this.#queue.push(waiting)
    this.#write()
    this.#watch()
    return waiting.promise
  }

  #write(): void {
    if (this.#call === undefined && this.#queue.length > 0) return void this.#open()
    if (this.#call === undefined || this.#isSending || this.#outstanding.size >= mostOutstanding) return
    const next = this.#queue.shift()
    if (next === undefined) return
    const id = ++this.#written
    next.at = performance.now()
    this.#outstanding.set(id, next)
    this.#isSending = true
    this.#call.send(requestOf(next.proposed, [this.#half, id]), this.#sent)
  }

  async #open(): Promise<void> {
    if (this.#isOpening) return
    this.#isOpening = true
    try {
      const { credentials } = this.#options
      const stubs = await this.#client.getGRPCClient(services.StreamsClient, 'batchAppend')
      if (this.#isClosed) return
      this.#use(stubs, this.#client.callArguments({ credentials, requiresLeader: true }, { deadline: Infinity }))
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isOpening = false
    }
    this.#write()
  }

  #use(stubs: Stubs, carried: Carried): void {
    const call = new ChannelCall(stubs, path, carried, {
      received: (message) => {
        call.next()
        this.#answered(appendAnswerOf(message))
      },
      ended: (error = new Error('the event store ended the stream of appends')) => {
        // Given up by ourselves.
        if (call !== this.#call) return
        this.#client.handleError(stubs, error).catch(() => undefined)
        this.#fail(error)
      },
    })
    this.#call = call
    this.#isSending = false
    this.#sent = () => {
      if (call !== this.#call) return
      this.#isSending = false
      this.#write()
    }
    call.next()
  }

  #answered(answer: AppendAnswer): void {
    this.#heardAt = performance.now()
    const waiting = this.#outstanding.get(answer.id)
    // Its time was up.
    if (waiting === undefined) return
    this.#outstanding.delete(answer.id)
    try {
      waiting.resolve(appendedOf(answer, waiting.proposed.stream))
    } catch (error) {
      waiting.reject(error)
    }
    this.#write()
  }

  /** Fails what is under way. What waits for its turn as well: before it is sent again, the server is verified. */
  #fail(error: unknown): void {
    const failed = [...this.#outstanding.values(), ...this.#queue]
    this.#outstanding.clear()
    this.#queue = []
    this.#call = undefined
    for (const { reject } of failed) reject(error)
  }

  /** When the oldest that is under way was written; while there is no stream, when the oldest began to wait for it. */
  get #oldest(): number | undefined {
    const [first] = this.#call === undefined ? this.#queue : this.#outstanding.values()
    return first?.at
  }

  #watch(): void {
    const oldest = this.#oldest
    if (this.#timer !== undefined || oldest === undefined) return
    const leftMs = oldest + this.#options.deadlineMs - performance.now()
    const expire = (): void => {
      this.#timer = undefined
      this.#expire()
      this.#watch()
    }
    this.#timer = setTimeout(expire, Math.max(1, leftMs)).unref()
  }

  /** Fails what has no answer in time. A stream that has been silent since is given up, with all that is on it. */
  #expire(): void {
    const [oldest, call] = [this.#oldest, this.#call]
    const due = performance.now() - this.#options.deadlineMs
    if (oldest === undefined || oldest > due) return
    const error = new Error(`the event store did not answer an append for ${this.#options.deadlineMs} ms`)
    if (call === undefined || this.#heardAt <= oldest) {
      this.#fail(error)
      call?.cancel()
      return
    }
    for (const [id, { at, reject }] of this.#outstanding) {
      if (at > due) break
      this.#outstanding.delete(id)
      reject(error)
    }
    this.#write()
  }

  /** Ends the stream. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    const call = this.#call
    this.#fail(new Error('the event store is closed'))
    // Cancelled: the real server does not end a stream whose requests have ended.
    call?.cancel()
  }
}
