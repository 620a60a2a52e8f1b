import type { EventStoreDBClient } from '@eventstore/db-client'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { ChannelCall } from './channel-call.ts'
import { type Carried, type ClientInternals, internalsOf, type Stubs } from './client-internals.ts'
import { readAnswerOf } from './read-answer.ts'
import type { RecordedEvent } from './records.ts'
import { writeIdentifier } from './shared-messages.ts'
import { WireWriter } from './wire.ts'

const { path } = services.StreamsService.read

/** Numbers of fields in the server's streams.proto. */
const request = { options: 1 } as const
const options = { stream: 1, count: 5, noFilter: 8, uuid: 9 } as const
const ofStream = { identifier: 1, revision: 2 } as const
const uuidOption = { text: 2 } as const

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
      this.#client.handleError(stubs, error).catch(() => undefined)
      throw error
    }
  }

  #call(stubs: Stubs, message: Buffer): Promise<RecordedEvent[]> {
    this.#carried ??= this.#client.callArguments({ requiresLeader: true }, { deadline: Infinity })
    const { promise, resolve, reject } = Promise.withResolvers<RecordedEvent[]>()
    const events: RecordedEvent[] = []
    const call = new ChannelCall(stubs, path, this.#carried, {
      received: (bytes) => {
        silence.refresh()
        const answer = readAnswerOf(bytes)
        if (answer.kind === 'event') events.push(answer.event)
        call.next()
      },
      ended: (error) => {
        clearTimeout(silence)
        if (error === undefined) resolve(events)
        else reject(error)
      },
    })
    const silence = setTimeout(() => {
      reject(new Error(`the event store gave nothing for ${this.#deadlineMs} ms`))
      call.cancel()
    }, this.#deadlineMs)
    call.sendAll(message)
    call.next()
    return promise
  }
}

/** What the client asks the server for in its `readStream`. */
export function requestOf(stream: string, from: number, most: number): Buffer {
  const writer = new WireWriter()
  const all = writer.begin(request.options)
  const wanted = writer.begin(options.stream)
  writeIdentifier(writer, ofStream.identifier, stream)
  writer.varint(ofStream.revision, from)
  writer.end(wanted)
  writer.varint(options.count, most)
  writer.end(writer.begin(options.noFilter))
  const uuid = writer.begin(options.uuid)
  writer.end(writer.begin(uuidOption.text))
  writer.end(uuid)
  writer.end(all)
  return writer.written
}
