import { UnknownError } from '@eventstore/db-client'
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js'
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js'
import type { EncodedEvent } from '#packages/events/format/codec.ts'
import { storeFormat } from '#packages/events/format/store-format.ts'
import type { Appended, ExpectedRevision } from '#packages/ports/event-store.ts'
import { positionOf } from './records.ts'

const { BatchAppendReq } = streams
type Request = InstanceType<typeof BatchAppendReq>

/** A valid append, kept to be sent again if its answer is lost. */
export type Proposed = { stream: string; expected: ExpectedRevision; events: readonly EncodedEvent[] }

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
export function requestOf({ stream, expected, events }: Proposed, [high, low]: readonly [number, number]): Request {
  const id = new shared.UUID.Structured().setMostSignificantBits(String(high)).setLeastSignificantBits(String(low))
  const deadline = new timestampPb.Timestamp().setSeconds(Math.trunc((Date.now() + serverDeadlineMs) / 1000))
  const options = new BatchAppendReq.Options()
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setDeadline(deadline)
  if (expected === 'no-stream') options.setNoStream(new emptyPb.Empty())
  else options.setStreamPosition(String(expected))
  return new BatchAppendReq()
    .setCorrelationId(new shared.UUID().setStructured(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(messageOf))
    .setIsFinal(true)
}

/** JSON stays JSON, so that the server's own tools can show it. Compressed data is stored as bytes. */
function messageOf({ id, type, version, data, metadata }: EncodedEvent) {
  const message = new BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setCustomMetadata(Buffer.from(withVersion(version, metadata)))
    .setData(Buffer.from(data))
  const contentType = typeof data === 'string' ? 'application/json' : 'application/octet-stream'
  message.getMetadataMap().set('type', type).set('content-type', contentType)
  return message
}

/** Adds one member to the JSON of an object. */
const withVersion = (version: number, metadata: string): string =>
  `{"format":${storeFormat},"version":${version}${metadata === '{}' ? '' : ','}${metadata.slice(1)}`

/** The second half of the id of the request that this message answers. */
export const idOf = (answer: BatchAppendResp): number =>
  Number(answer.getCorrelationId()?.getStructured()?.getLeastSignificantBits() ?? 0)

/**
 * A repeat of events that were deleted meanwhile gets position 0: nothing can read them or has to wait for them.
 * @throws the client's errors if the server refuses
 */
export function appendedOf(answer: BatchAppendResp, stream: string): Appended {
  const success = answer.getSuccess()
  if (success !== undefined) {
    const at = success.getPosition()
    const bits = at && { commit: BigInt(at.getCommitPosition()), prepare: BigInt(at.getPreparePosition()) }
    return { revision: Number(success.getCurrentRevision()), position: bits === undefined ? 0 : positionOf(bits) }
  }
  const refusal = answer.getError()
  if (refusal?.getDetails() === undefined) throw new UnknownError(undefined, refusal?.getMessage() ?? 'no answer')
  throw unpackToCommandError(refusal, stream)
}
