import { UnknownError } from '@eventstore/db-client'
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js'
import type { EncodedEvent } from '#packages/events/codec.ts'
import type { ExpectedRevision } from '#packages/ports/event-store.ts'
import { positionOf } from './records.ts'

const { BatchAppendReq } = streams
type ProposedMessage = InstanceType<typeof BatchAppendReq.ProposedMessage>

/** An append in the client's messages: made once, sent again where its answer was lost. */
export type Proposed = { stream: string; expected: ExpectedRevision; messages: ProposedMessage[] }
export type Appended = { revision: number; position: number }

/**
 * The server refuses a request whose deadline has passed by its own clock, which may be ahead of ours. So this is far
 * ahead, milliseconds; for how long we wait is not the server's business.
 */
const serverDeadlineMs = 24 * 60 * 60 * 1000

/** @throws RangeError no such revision: a request that cannot be written would break the stream for all others */
export function proposedOf(stream: string, expected: ExpectedRevision, events: readonly EncodedEvent[]): Proposed {
  if (expected !== 'no-stream' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new RangeError(`${expected} is not a revision`)
  return { stream, expected, messages: events.map(messageOf) }
}

/** JSON stays JSON, so that the server's own tools can show it; compressed data is bytes. */
function messageOf({ id, type, version, data, metadata }: EncodedEvent): ProposedMessage {
  const message = new BatchAppendReq.ProposedMessage()
  message.setId(new shared.UUID().setString(id))
  const isJson = typeof data === 'string'
  const named = message.getMetadataMap()
  named.set('type', type)
  named.set('content-type', isJson ? 'application/json' : 'application/octet-stream')
  message.setData(isJson ? Buffer.from(data) : data)
  message.setCustomMetadata(Buffer.from(withVersion(version, metadata)))
  return message
}

/** JSON of an object with one member more. */
const withVersion = (version: number, metadata: string): string =>
  `{"version":${version}${metadata === '{}' ? '' : ','}${metadata.slice(1)}`

/** @param id two halves of 64 bits, signed, in decimals: the answer repeats it */
export function requestOf(
  { stream, expected, messages }: Proposed,
  id: readonly [string, string],
): InstanceType<typeof BatchAppendReq> {
  const options = new BatchAppendReq.Options()
  options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
  if (expected === 'no-stream') options.setNoStream(new empty.Empty())
  else options.setStreamPosition(String(expected))
  const deadline = new timestamp.Timestamp()
  deadline.setSeconds(Math.trunc((Date.now() + serverDeadlineMs) / 1000))
  options.setDeadline(deadline)
  const halves = new shared.UUID.Structured().setMostSignificantBits(id[0]).setLeastSignificantBits(id[1])
  const request = new BatchAppendReq()
  request.setCorrelationId(new shared.UUID().setStructured(halves))
  request.setOptions(options)
  request.setProposedMessagesList(messages)
  request.setIsFinal(true)
  return request
}

/** The second half of the id of the request that this answers. */
export const answeredId = (answer: BatchAppendResp): string =>
  answer.getCorrelationId()?.getStructured()?.getLeastSignificantBits() ?? ''

/**
 * A repeat of events that were deleted meanwhile has no position, so 0: nobody can read them or needs to wait for them.
 * @throws the client's errors where the server refuses
 */
export function appendedOf(answer: BatchAppendResp, stream: string): Appended {
  const success = answer.getSuccess()
  if (success === undefined) {
    const refusal = answer.getError()
    if (refusal?.getDetails() === undefined) throw new UnknownError(undefined, refusal?.getMessage() ?? 'no answer')
    throw unpackToCommandError(refusal, stream)
  }
  const at = success.getPosition()
  const position = at && { commit: BigInt(at.getCommitPosition()), prepare: BigInt(at.getPreparePosition()) }
  return { revision: Number(success.getCurrentRevision()), position: position === undefined ? 0 : positionOf(position) }
}
