import shared from '@eventstore/db-client/generated/shared_pb.js'
import statusPb from '@eventstore/db-client/generated/status_pb.js'
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleUnaryCall,
  ServerUnaryCall,
  sendUnaryData,
} from '@grpc/grpc-js'
import anyPb from 'google-protobuf/google/protobuf/any_pb.js'
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js'
import type { Access } from './access.ts'
import type { Append, AppendOutcome, Appends, Expected } from './appends.ts'
import type { EventLog } from './event-log.ts'
import { badRequest, maxAppendBytes, streamDeleted, tooLarge, wrongVersion } from './failures.ts'
import { identifierOf, identityOf, proposedOf, streamName } from './messages.ts'

/** The end of the stream that the client expects. */
type ExpectedOptions = {
  hasNoStream(): boolean
  hasAny(): boolean
  hasStreamExists(): boolean
}

function expectedOf(options: ExpectedOptions | undefined, revision: string | undefined): Expected {
  if (options?.hasNoStream()) return 'no-stream'
  if (options?.hasStreamExists()) return 'stream-exists'
  if (options === undefined || options.hasAny()) return 'any'
  return Number(revision)
}

/** One append per call: the client uses it when it is given credentials. */
export function appendHandler(appends: Appends): handleClientStreamingCall<AppendReq, AppendResp> {
  return (call, callback) => {
    let options: AppendReq.Options | undefined
    const events: Append['events'][number][] = []
    call.on('data', (request: AppendReq) => {
      const proposed = request.getProposedMessage()
      if (proposed === undefined) options = request.getOptions()
      else events.push(proposedOf(proposed))
    })
    call.on('error', () => undefined)
    call.on('end', async () => {
      const stream = streamName(options?.getStreamIdentifier())
      const expected = expectedOf(options, options?.getRevision())
      const outcome = await appends.run({ stream, expected, events })
      if (outcome.kind === 'bad-request') return callback(badRequest())
      if (outcome.kind === 'too-large') return callback(tooLarge())
      if (outcome.kind === 'stream-deleted') return callback(streamDeleted(stream))
      callback(null, appendAnswer(expected, outcome))
    })
  }
}

function appendAnswer(expected: Expected, outcome: AppendOutcome): AppendResp {
  const answer = new streams.AppendResp()
  if (outcome.kind === 'wrong-version') {
    const wrong = new streams.AppendResp.WrongExpectedVersion()
    if (outcome.actual === -1) wrong.setCurrentNoStream(new shared.Empty())
    else wrong.setCurrentRevision(String(outcome.actual))
    if (expected === 'no-stream') wrong.setExpectedNoStream(new shared.Empty())
    else if (expected === 'any') wrong.setExpectedAny(new shared.Empty())
    else if (expected === 'stream-exists') wrong.setExpectedStreamExists(new shared.Empty())
    else wrong.setExpectedRevision(String(expected))
    answer.setWrongExpectedVersion(wrong)
  }
  if (outcome.kind === 'appended') {
    const success = new streams.AppendResp.Success()
    success.setCurrentRevision(String(outcome.revision))
    if (outcome.position === undefined) answer.setSuccess(success.setNoPosition(new shared.Empty()))
    else answer.setSuccess(answerAt(success, new streams.AppendResp.Position(), outcome.position))
  }
  return answer
}

/** Many appends over one stream of requests: the service uses it, and so does the client without credentials. */
export function batchAppendHandler(
  appends: Appends,
  access: Access,
): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> {
  return (call) => {
    try {
      access.assertKnown(call.metadata)
    } catch (error) {
      call.emit('error', error as Error)
      return
    }
    const begun = new Map<string, Append & { events: Append['events'][number][] }>()
    call.on('data', async (request: BatchAppendReq) => {
      const id = identityOf(request.getCorrelationId())
      const options = request.getOptions()
      const stream = streamName(options?.getStreamIdentifier())
      const append = begun.get(id) ?? {
        stream,
        expected: expectedOf(options, options?.getStreamPosition()),
        events: [],
      }
      begun.set(id, append)
      append.events.push(...request.getProposedMessagesList().map(proposedOf))
      if (!request.getIsFinal()) return
      begun.delete(id)
      const answer = batchAnswer(append, await appends.run(append))
      answer.setCorrelationId(request.getCorrelationId())
      answer.setStreamIdentifier(identifierOf(append.stream))
      if (!call.cancelled) call.write(answer)
    })
    call.on('error', () => undefined)
    call.on('end', () => call.end())
  }
}

function batchAnswer(append: Append, outcome: AppendOutcome): BatchAppendResp {
  const answer = new streams.BatchAppendResp()
  if (outcome.kind !== 'appended') {
    answer.setError(batchError(append, outcome))
    return answer
  }
  const success = new streams.BatchAppendResp.Success()
  success.setCurrentRevision(String(outcome.revision))
  if (outcome.position === undefined) answer.setSuccess(success.setNoPosition(new emptyPb.Empty()))
  else answer.setSuccess(answerAt(success, new shared.AllStreamPosition(), outcome.position))
  return answer
}

function batchError({ stream, expected }: Append, outcome: AppendOutcome): InstanceType<typeof statusPb.Status> {
  const details = new anyPb.Any()
  const status = new statusPb.Status()
  if (outcome.kind === 'wrong-version') {
    const wrong = new shared.WrongExpectedVersion()
    if (outcome.actual === -1) wrong.setCurrentNoStream(new emptyPb.Empty())
    else wrong.setCurrentStreamRevision(String(outcome.actual))
    if (expected === 'no-stream') wrong.setExpectedNoStream(new emptyPb.Empty())
    else if (expected === 'any') wrong.setExpectedAny(new emptyPb.Empty())
    else if (expected === 'stream-exists') wrong.setExpectedStreamExists(new emptyPb.Empty())
    else wrong.setExpectedStreamPosition(String(expected))
    details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion')
  } else if (outcome.kind === 'stream-deleted') {
    const deleted = new shared.StreamDeleted()
    deleted.setStreamIdentifier(identifierOf(stream))
    details.pack(deleted.serializeBinary(), 'event_store.client.StreamDeleted')
  } else if (outcome.kind === 'too-large') {
    const exceeded = new shared.MaximumAppendSizeExceeded()
    exceeded.setMaxappendsize(maxAppendBytes)
    details.pack(exceeded.serializeBinary(), 'event_store.client.MaximumAppendSizeExceeded')
  } else {
    details.pack(new shared.BadRequest().serializeBinary(), 'event_store.client.BadRequest')
    status.setMessage('BadRequest')
  }
  status.setDetails(details)
  return status
}

export const deleteHandler =
  (log: EventLog): handleUnaryCall<DeleteReq, DeleteResp> =>
  (call, callback) =>
    remove(log, call, callback, (stream) => {
      // The real server answers that there is nothing to delete, whichever revision was expected.
      if (log.stream(stream).state === 'missing') return undefined
      return answerAt(new streams.DeleteResp(), new streams.DeleteResp.Position(), log.delete(stream))
    })

export const tombstoneHandler =
  (log: EventLog): handleUnaryCall<TombstoneReq, TombstoneResp> =>
  (call, callback) =>
    remove(log, call, callback, (stream) =>
      answerAt(new streams.TombstoneResp(), new streams.TombstoneResp.Position(), log.tombstone(stream)),
    )

const fits = (expected: Expected, last: number): boolean =>
  expected === 'any' || (expected === 'no-stream' ? last === -1 : expected === 'stream-exists' || expected === last)

const versionNumber = (expected: Expected): string =>
  expected === 'any' ? '-2' : expected === 'no-stream' ? '-1' : expected === 'stream-exists' ? '-4' : String(expected)

/** An answer with the position at which something was written. */
function answerAt<
  Answer extends { setPosition(at: At): unknown },
  At extends { setCommitPosition(value: string): unknown; setPreparePosition(value: string): unknown },
>(answer: Answer, at: At, position: number): Answer {
  at.setCommitPosition(String(position))
  at.setPreparePosition(String(position))
  answer.setPosition(at)
  return answer
}

/** @param end removes the stream; undefined if there is none to remove */
function remove<Request extends DeleteReq | TombstoneReq, Answer>(
  log: EventLog,
  call: ServerUnaryCall<Request, Answer>,
  callback: sendUnaryData<Answer>,
  end: (stream: string) => Answer | undefined,
): void {
  const options = call.request.getOptions()
  const stream = streamName(options?.getStreamIdentifier())
  const expected = expectedOf(options, options?.getRevision())
  try {
    if (log.stream(stream).state === 'tombstoned') throw streamDeleted(stream)
    let answer: Answer | undefined
    log.transaction(() => {
      const { last } = log.stream(stream)
      answer = fits(expected, last) ? end(stream) : undefined
      if (answer === undefined) throw wrongVersion(stream, versionNumber(expected), last)
    })
    callback(null, answer)
  } catch (error) {
    callback(error as Error)
  }
}
