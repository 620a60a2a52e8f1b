import { type Credentials, convertToCommandError, type EventStoreDBClient } from '@eventstore/db-client'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import { Notifier } from '../notifier.ts'
import { internalsOf, type Stubs } from './client-internals.ts'
import { type ReadAnswer, readAnswerOf } from './read-answer.ts'

type Call = ReturnType<Stubs['read']>

/** Of the generated stub: it has a method for each call, with which the answers are read by the generated classes. */
type Maker = {
  makeServerStreamRequest(
    path: string,
    serialize: (request: ReadReq) => Buffer,
    deserialize: (bytes: Buffer) => ReadAnswer,
    request: ReadReq,
    ...carried: [unknown, unknown]
  ): unknown
}

const { path, requestSerialize } = services.StreamsService.read

/** Answers that are taken from the connection ahead of the reader. Then the server has to wait. */
const mostAhead = 16

/** One call that reads, without an end of its own. Its answers wait here to be taken, a few at a time. */
export class ReadCall {
  readonly #changed = new Notifier()
  #answers: ReadAnswer[] = []
  #call: Call | undefined
  #error: unknown
  #isOver = false

  constructor(client: EventStoreDBClient, request: ReadReq, credentials: Credentials) {
    const inner = internalsOf(client)
    const carried = inner.callArguments({ credentials }, { deadline: Infinity })
    const open = inner.GRPCStreamCreator(services.StreamsClient, 'read', (stubs) =>
      (stubs as unknown as Maker).makeServerStreamRequest(path, requestSerialize, readAnswerOf, request, ...carried),
    )
    open().then(
      (call) => this.#use(call),
      (error: unknown) => this.end(error),
    )
  }

  #use(call: Call): void {
    this.#call = call
    // Errors after the end have no other listener: they would end the process.
    call.on('error', (error: Error) => this.#ended(convertToCommandError(error)))
    call.on('end', () => this.#ended(new Error('the event store ended a subscription')))
    if (this.#isOver) this.#cancel()
    call.on('data', (answer: ReadAnswer) => {
      if (this.#isOver) return
      this.#answers.push(answer)
      if (this.#answers.length >= mostAhead) call.pause()
      this.#changed.notify()
    })
  }

  /** The next answers, at least one, in order. @throws the client's errors @throws the error of `end` */
  async take(): Promise<readonly ReadAnswer[]> {
    while (this.#answers.length === 0) {
      if (this.#isOver) throw this.#error
      await this.#changed.wait()
    }
    const answers = this.#answers
    this.#answers = []
    if (answers.length >= mostAhead) this.#call?.resume()
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
