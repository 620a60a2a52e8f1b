import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendReq, BatchAppendReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { LoggedEvent, ProposedEvent } from './event-log.ts'

/** Ticks of 100 ns, as the server counts them. */
const ticksPerMillisecond = 10_000

export const streamName = (identifier: { getStreamName_asU8(): Uint8Array } | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')

/** A UUID in either of its forms. The client chooses the form. */
export function identityOf(id: InstanceType<typeof shared.UUID> | undefined): string {
  const halves = id?.getStructured()
  return halves ? `${halves.getMostSignificantBits()} ${halves.getLeastSignificantBits()}` : (id?.getString() ?? '')
}

export function identifierOf(name: string): InstanceType<typeof shared.StreamIdentifier> {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(name).toString('base64'))
  return identifier
}

export function proposedOf(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): ProposedEvent {
  const named = message.getMetadataMap()
  return {
    id: message.getId()?.getString().toLowerCase() ?? '',
    type: named.get('type') ?? '',
    contentType: named.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  }
}

export function eventMessage(event: LoggedEvent): ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
  const id = new shared.UUID()
  id.setString(event.id)
  recorded.setId(id)
  recorded.setStreamIdentifier(identifierOf(event.stream))
  recorded.setStreamRevision(event.revision)
  recorded.setCommitPosition(String(event.position))
  recorded.setPreparePosition(String(event.position))
  const named = recorded.getMetadataMap()
  named.set('type', event.type)
  named.set('content-type', event.contentType)
  named.set('created', String(BigInt(event.created) * BigInt(ticksPerMillisecond)))
  recorded.setData(event.data)
  recorded.setCustomMetadata(event.metadata)
  const read = new streams.ReadResp.ReadEvent()
  read.setEvent(recorded)
  read.setCommitPosition(String(event.position))
  const message = new streams.ReadResp()
  message.setEvent(read)
  return message
}

export function confirmationMessage(id: string): ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation()
  confirmation.setSubscriptionId(id)
  const message = new streams.ReadResp()
  message.setConfirmation(confirmation)
  return message
}

export function caughtUpMessage(): ReadResp {
  const message = new streams.ReadResp()
  message.setCaughtUp(new streams.ReadResp.CaughtUp())
  return message
}

export function checkpointMessage(position: number | string): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
  checkpoint.setCommitPosition(String(position))
  checkpoint.setPreparePosition(String(position))
  const message = new streams.ReadResp()
  message.setCheckpoint(checkpoint)
  return message
}

export function notFoundMessage(stream: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound()
  notFound.setStreamIdentifier(identifierOf(stream))
  const message = new streams.ReadResp()
  message.setStreamNotFound(notFound)
  return message
}
