import { randomBytes } from 'node:crypto'
import type { Credentials, EventStoreDBClient } from '@eventstore/db-client'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { Appended } from '#packages/ports/event-store.ts'
import { appendedOf, idOf, type Proposed, requestOf } from './append-request.ts'
import { ChannelCall } from './channel-call.ts'
import { type Carried, type ClientInternals, internalsOf, type Stubs } from './client-internals.ts'

const { path, requestSerialize, responseDeserialize } = services.StreamsService.batchAppend

/** An append and its caller. `at`: when it was sent; before that, when it began to wait. */
type Waiting = PromiseWithResolvers<Appended> & { proposed: Proposed; at: number }

/**
 * The most appends that may be without an answer at once. More wait here, because sending them earlier does not make
 * the server faster.
 */
export const mostOutstanding = 256

export type BatchAppendOptions = {
  credentials: Credentials
  /** How long the server may take to answer an append, from when it is sent, milliseconds. */
  deadlineMs: number
}

/**
 * Sends all appends of one client over one stream of requests and answers. That takes half the CPU of a call for each
 * append. The first append opens the stream; after a failure, the next one does. (The client's own stream is not used.
 * It ignores deadlines, and one failure fails the appends of other clients.)
 * An append fails if the stream fails, if the stream cannot be opened in time, or if its answer misses the deadline. It
 * may have been stored all the same: repeat the identical append.
 */
export class BatchAppend implements Disposable {
  readonly #client: ClientInternals
  readonly #options: BatchAppendOptions
  /** An answer names its request by this half of the id and a number. */
  readonly #half = randomBytes(6).readUIntBE(0, 6)
  readonly #outstanding = new Map<number, Waiting>()
  #queue: Waiting[] = []
  #call: ChannelCall | undefined
  #isOpening = false
  /** True until the stream has accepted a message. Until then the next one would wait inside the stream, unseen. */
  #isSending = false
  #sent: () => void = () => undefined
  #isClosed = false
  #written = 0
  #heardAt = 0
  /** One timer for all deadlines. */
  #timer: NodeJS.Timeout | undefined

  constructor(client: EventStoreDBClient, options: BatchAppendOptions) {
    this.#client = internalsOf(client)
    this.#options = options
  }

  /** While the stream is open, the connection has not been down. */
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
    this.#call.send(requestSerialize(requestOf(next.proposed, [this.#half, id])), this.#sent)
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
        this.#answered(responseDeserialize(message))
      },
      ended: (error = new Error('the event store ended the stream of appends')) => {
        // We gave up this call ourselves.
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

  #answered(answer: BatchAppendResp): void {
    this.#heardAt = performance.now()
    const id = idOf(answer)
    const waiting = this.#outstanding.get(id)
    // Its deadline had passed.
    if (waiting === undefined) return
    this.#outstanding.delete(id)
    try {
      waiting.resolve(appendedOf(answer, waiting.proposed.stream))
    } catch (error) {
      waiting.reject(error)
    }
    this.#write()
  }

  /** Fails all appends, including those in the queue: the server is verified before they are sent again. */
  #fail(error: unknown): void {
    const failed = [...this.#outstanding.values(), ...this.#queue]
    this.#outstanding.clear()
    this.#queue = []
    this.#call = undefined
    for (const { reject } of failed) reject(error)
  }

  /** When the oldest append under way was sent. Without a stream: when the oldest append began to wait for one. */
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

  /**
   * Fails appends that missed their deadline. If the stream has been silent since, gives it up with all its appends.
   */
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
    // The call has to be cancelled: the real server keeps a stream open after its requests have ended.
    call?.cancel()
  }
}
