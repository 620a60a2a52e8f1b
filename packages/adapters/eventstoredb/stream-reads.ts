import { convertToCommandError, type EventStoreDBClient } from '@eventstore/db-client'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { type Carried, type ClientInternals, internalsOf, type Stubs } from './client-internals.ts'
import { readAnswerOf } from './read-answer.ts'
import type { RecordedEvent } from './records.ts'
import { identifierOf } from './shared-messages.ts'
import { WireWriter } from './wire.ts'

type Call = ReturnType<ReturnType<Stubs['getChannel']>['createCall']>
type Status = Parameters<Parameters<Call['start']>[1]['onReceiveStatus']>[0]

const { path } = services.StreamsService.read

/** Numbers of fields in the server's streams.proto. */
const request = { options: 1 } as const
const options = { stream: 1, count: 5, noFilter: 8, uuid: 9 } as const
const ofStream = { identifier: 1, revision: 2 } as const
const uuidOption = { text: 2 } as const

/** gRPC's number for a call that went well. */
const OK = 0

/** gRPC's number for a call that was given up. */
const CANCELLED = 1

/**
 * Reads of streams by one client, forwards, with less CPU than the client's own: without Node's streams, and without its
 * generated classes. An answer that is long is held in memory, as the client's would be.
 */
export class StreamReads {
  readonly #client: ClientInternals
  readonly #deadlineMs: number
  #carried: Carried | undefined

  /** @param deadlineMs how long the server may take for the next event, milliseconds */
  constructor(client: EventStoreDBClient, deadlineMs: number) {
    this.#client = internalsOf(client)
    this.#deadlineMs = deadlineMs
  }

  /**
   * The events of a stream from a revision on, `most` of them at most. None where there is no such stream.
   * @throws the client's errors @throws Error the server gave nothing in time
   */
  async read(stream: string, from: number, most: number): Promise<RecordedEvent[]> {
    const stubs = await this.#client.getGRPCClient(services.StreamsClient, 'read')
    try {
      return await this.#call(stubs, requestOf(stream, from, most))
    } catch (error) {
      const converted = convertToCommandError(error as Error)
      this.#client.handleError(stubs, converted).catch(() => undefined)
      throw converted
    }
  }

  #call(stubs: Stubs, message: Buffer): Promise<RecordedEvent[]> {
    this.#carried ??= this.#client.callArguments({ requiresLeader: true }, { deadline: Infinity })
    const [metadata, { credentials }] = this.#carried
    const call = stubs.getChannel().createCall(path, Infinity, null, null, null)
    if (credentials !== undefined) call.setCredentials(credentials)
    return new Promise((resolve, reject) => {
      const events: RecordedEvent[] = []
      const fail = (error: unknown): void => {
        clearTimeout(silence)
        reject(error)
        call.cancelWithStatus(CANCELLED, 'given up')
      }
      const silence = setTimeout(
        () => fail(new Error(`the event store gave nothing for ${this.#deadlineMs} ms`)),
        this.#deadlineMs,
      )
      call.start(metadata, {
        onReceiveMetadata: () => undefined,
        onReceiveMessage: (bytes: Buffer) => {
          silence.refresh()
          try {
            const answer = readAnswerOf(bytes)
            if (answer.kind === 'event') events.push(answer.event)
            call.startRead()
          } catch (error) {
            fail(error)
          }
        },
        onReceiveStatus: (status) => {
          clearTimeout(silence)
          if (status.code === OK) resolve(events)
          else reject(errorOf(status))
        },
      })
      call.sendMessageWithContext({}, message)
      call.halfClose()
      call.startRead()
    })
  }
}

const errorOf = (status: Status): Error => Object.assign(new Error(`${status.code}: ${status.details}`), status)

/** What the client asks the server for in its `readStream`. */
export function requestOf(stream: string, from: number, most: number): Buffer {
  const wanted = new WireWriter()
  wanted.message(ofStream.identifier, identifierOf(stream))
  wanted.varint(ofStream.revision, from)
  const uuid = new WireWriter()
  uuid.message(uuidOption.text, nothing)
  const all = new WireWriter()
  all.message(options.stream, wanted)
  all.varint(options.count, most)
  all.message(options.noFilter, nothing)
  all.message(options.uuid, uuid)
  const writer = new WireWriter()
  writer.message(request.options, all)
  return writer.written
}

const nothing = new WireWriter()
