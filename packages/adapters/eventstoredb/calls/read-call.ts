import type { Credentials, EventStoreDBClient } from '@eventstore/db-client'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import { Notifier } from '../../notifier.ts'
import { ChannelCall } from './channel-call.ts'
import { type ClientInternals, internalsOf, type Stubs } from './client-internals.ts'
import { type ReadAnswer, readAnswerOf } from './read-answer.ts'

const { path, requestSerialize } = services.StreamsService.read

/** Answers that are taken from the connection ahead of the reader. Then the server has to wait. */
const mostAhead = 16

/** One call that reads, without an end of its own. Its answers wait here to be taken, a few at a time. */
export class ReadCall {
  readonly #changed = new Notifier()
  #answers: ReadAnswer[] = []
  #call: ChannelCall | undefined
  #error: unknown
  #isOver = false

  constructor(client: EventStoreDBClient, request: ReadReq, credentials: Credentials) {
    const inner = internalsOf(client)
    inner.getGRPCClient(services.StreamsClient, 'read').then(
      (stubs) => this.#open(inner, stubs, request, credentials),
      (error: unknown) => this.end(error),
    )
  }

  #open(inner: ClientInternals, stubs: Stubs, request: ReadReq, credentials: Credentials): void {
    if (this.#isOver) return
    const carried = inner.callArguments({ credentials }, { deadline: Infinity })
    this.#call = new ChannelCall(stubs, path, carried, {
      received: (message) => this.#received(readAnswerOf(message)),
      ended: (error = new Error('the event store ended a subscription')) => {
        // Given up by ourselves.
        if (this.#isOver) return
        inner.handleError(stubs, error).catch(() => undefined)
        this.#ended(error)
      },
    })
    this.#call.sendAll(requestSerialize(request))
    this.#call.next()
  }

  #received(answer: ReadAnswer): void {
    if (this.#isOver) return
    this.#answers.push(answer)
    if (this.#answers.length < mostAhead) this.#call?.next()
    this.#changed.notify()
  }

  /** The next answers, at least one, in order. @throws the client's errors @throws the error of `end` */
  async take(): Promise<readonly ReadAnswer[]> {
    while (this.#answers.length === 0) {
      if (this.#isOver) throw this.#error
      await this.#changed.wait()
    }
    const answers = this.#answers
    this.#answers = []
    if (answers.length >= mostAhead) this.#call?.next()
    return answers
  }

  /** Ends the call. What is not taken yet is dropped. */
  end(error: unknown): void {
    if (this.#isOver) return
    this.#answers = []
    this.#ended(error)
    this.#cancel()
  }

  #ended(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#changed.notify()
  }

  /** Later, because a call that is cancelled while it gives an answer may crash: grpc-node's issues 1464 and 1652. */
  #cancel(): void {
    const call = this.#call
    if (call !== undefined) setImmediate(() => call.cancel())
  }
}
