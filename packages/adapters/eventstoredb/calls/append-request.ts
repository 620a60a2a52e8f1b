import { type Position, UnknownError } from '@eventstore/db-client'
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { EncodedEvent } from '#packages/events/format/codec.ts'
import { storeFormat } from '#packages/events/format/store-format.ts'
import type { Appended, ExpectedRevision } from '#packages/ports/event-store.ts'
import { positionOf } from './records.ts'
import { uuid, writeEntry, writeIdentifier } from './shared-messages.ts'
import { WireReader, WireWriter } from './wire.ts'

/** A valid append, kept to be sent again if its answer is lost. */
export type Proposed = { stream: string; expected: ExpectedRevision; events: readonly EncodedEvent[] }

/** The number of the request and its outcome. The client's own code reads a refusal. */
export type AppendAnswer = { id: number } & (Success | { refusal: Buffer })
type Success = { revision: number; at: Position | undefined }

/** Field numbers in the server's streams.proto and shared.proto. */
const request = { id: 1, options: 2, messages: 3, isFinal: 4 } as const
const options = { stream: 1, revision: 2, noStream: 3, deadline: 6 } as const
const proposed = { id: 1, named: 2, custom: 3, data: 4 } as const
const structured = { high: 1, low: 2 } as const
const timestamp = { seconds: 1 } as const
const answer = { id: 1, success: 3 } as const
const success = { revision: 1, position: 3 } as const
const allPosition = { commit: 1, prepare: 2 } as const

/**
 * The deadline that we send to the server, milliseconds. The server refuses a request with a deadline in the past by
 * its own clock, and that clock may be ahead of ours. So we send a deadline far in the future, and time the call
 * ourselves.
 */
const serverDeadlineMs = 24 * 60 * 60 * 1000

/** @throws RangeError for an invalid revision. Sending it would break the stream that all appends share. */
export function proposedOf(stream: string, expected: ExpectedRevision, events: readonly EncodedEvent[]): Proposed {
  if (expected !== 'no-stream' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new RangeError(`${expected} is not a revision`)
  return { stream, expected, events }
}

/** @param id two positive integers, which the answer repeats */
export function requestOf({ stream, expected, events }: Proposed, id: readonly [number, number]): Buffer {
  const writer = new WireWriter()
  writeId(writer, id)
  writeOptions(writer, stream, expected)
  for (const event of events) writeEvent(writer, event)
  writer.varint(request.isFinal, 1)
  return writer.written
}

function writeId(writer: WireWriter, [high, low]: readonly [number, number]): void {
  const id = writer.begin(request.id)
  const halves = writer.begin(uuid.structured)
  writer.varint(structured.high, high)
  writer.varint(structured.low, low)
  writer.end(halves)
  writer.end(id)
}

function writeOptions(writer: WireWriter, stream: string, expected: ExpectedRevision): void {
  const all = writer.begin(request.options)
  writeIdentifier(writer, options.stream, stream)
  if (expected === 'no-stream') writer.end(writer.begin(options.noStream))
  else writer.varint(options.revision, expected)
  const deadline = writer.begin(options.deadline)
  writer.varint(timestamp.seconds, Math.trunc((Date.now() + serverDeadlineMs) / 1000))
  writer.end(deadline)
  writer.end(all)
}

/** JSON stays JSON, so that the server's own tools can show it. Compressed data is stored as bytes. */
function writeEvent(writer: WireWriter, { id, type, version, data, metadata }: EncodedEvent): void {
  const message = writer.begin(request.messages)
  const named = writer.begin(proposed.id)
  writer.text(uuid.text, id)
  writer.end(named)
  const isJson = typeof data === 'string'
  writeEntry(writer, proposed.named, 'type', type)
  writeEntry(writer, proposed.named, 'content-type', isJson ? 'application/json' : 'application/octet-stream')
  writer.text(proposed.custom, withVersion(version, metadata))
  if (isJson) writer.text(proposed.data, data)
  else writer.data(proposed.data, data)
  writer.end(message)
}

/** Adds one member to the JSON of an object. */
const withVersion = (version: number, metadata: string): string =>
  `{"format":${storeFormat},"version":${version}${metadata === '{}' ? '' : ','}${metadata.slice(1)}`

/** Reads one message from the server about appends. */
export function appendAnswerOf(bytes: Buffer): AppendAnswer {
  const message = new WireReader(bytes)
  let id = 0
  let found: Success | undefined
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === answer.id) id = idIn(message.message())
    else if (field === answer.success) found = successIn(message.message())
    else message.skip()
  }
  return found === undefined ? { id, refusal: bytes } : { id, ...found }
}

/** The second half of the id of the request that this message answers. */
function idIn(message: WireReader): number {
  if (!message.find(uuid.structured)) return 0
  const halves = message.message()
  return halves.find(structured.low) ? halves.varint() : 0
}

function successIn(message: WireReader): Success {
  const found: Success = { revision: 0, at: undefined }
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === success.revision) found.revision = message.varint()
    else if (field === success.position) found.at = positionIn(message.message())
    else message.skip()
  }
  return found
}

function positionIn(message: WireReader): Position {
  const at = { commit: 0n, prepare: 0n }
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === allPosition.commit) at.commit = BigInt(message.varint())
    else if (field === allPosition.prepare) at.prepare = BigInt(message.varint())
    else message.skip()
  }
  return at
}

/**
 * A repeat of events that were deleted meanwhile gets position 0: nothing can read them or has to wait for them.
 * @throws the client's errors if the server refuses
 */
export function appendedOf(answer: AppendAnswer, stream: string): Appended {
  if ('revision' in answer)
    return { revision: answer.revision, position: answer.at === undefined ? 0 : positionOf(answer.at) }
  const refusal = streams.BatchAppendResp.deserializeBinary(answer.refusal).getError()
  if (refusal?.getDetails() === undefined) throw new UnknownError(undefined, refusal?.getMessage() ?? 'no answer')
  throw unpackToCommandError(refusal, stream)
}
