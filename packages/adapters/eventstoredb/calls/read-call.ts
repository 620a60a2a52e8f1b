import type { Credentials, EventStoreDBClient } from '@eventstore/db-client'
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import { Notifier } from '../../notifier.ts'
import { ChannelCall } from './channel-call.ts'
import { type ClientInternals, internalsOf, type Stubs } from './client-internals.ts'
import type { RecordedEvent } from './records.ts'

const { path, requestSerialize, responseDeserialize } = services.StreamsService.read

/** An answer of the server to a reader. */
type ReadAnswer =
  /** `bytes`: the size of the whole message. */
  | { kind: 'event'; event: RecordedEvent; bytes: number }
  /** The server has searched everything up to this position. */
  | { kind: 'checkpoint'; position: number }
  | { kind: 'caught-up' }
  | { kind: 'confirmation' }
  /** Anything else, such as the length of a stream. */
  | { kind: 'other' }

export function readAnswerOf(bytes: Buffer): ReadAnswer {
  const answer = responseDeserialize(bytes)
  const found = answer.getEvent()
  const event = found && convertGrpcEvent(found).event
  if (event !== undefined) return { kind: 'event', event, bytes: bytes.length }
  const checkpoint = answer.getCheckpoint()
  if (checkpoint !== undefined) return { kind: 'checkpoint', position: Number(checkpoint.getCommitPosition()) }
  if (answer.hasCaughtUp()) return { kind: 'caught-up' }
  return { kind: answer.hasConfirmation() ? 'confirmation' : 'other' }
}

/** The most answers to take from the connection before the reader wants them. Beyond that, the server has to wait. */
const mostAhead = 16

/** One call that reads and never ends by itself. A few of its answers wait here for the reader. */
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
        // We gave up this call ourselves.
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

  /** Ends the call. Drops the answers that were not taken. */
  end(error: unknown): void {
    if (this.#isOver) return
    this.#answers = []
    this.#ended(error)
    const call = this.#call
    // Later: a call that is cancelled while it delivers an answer may crash (grpc-node issues 1464 and 1652).
    if (call !== undefined) setImmediate(() => call.cancel())
  }

  #ended(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#changed.notify()
  }
}
