import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { handleServerStreamingCall, ServerWritableStream } from '@grpc/grpc-js'
import type { Access } from './access.ts'
import type { EventLog, LoggedEvent } from './event-log.ts'
import { isEndOfTime, streamDeleted, unexpectedResult } from './failures.ts'
import { eventMessage, notFoundMessage, streamName } from './messages.ts'
import { Outlet } from './outlet.ts'
import { subscribeToAll, subscribeToStream } from './subscriptions.ts'

const pageEvents = 500

/** Everything that reads: a stream or the whole log, once or as a subscription. */
export function readHandler(
  log: EventLog,
  access: Access,
  calls: { read: number; subscribed: number; delivered: number },
  emptyCheckpoint: string | undefined,
): handleServerStreamingCall<ReadReq, ReadResp> {
  return async (call) => {
    const kind = call.request.getOptions()?.hasSubscription() ? 'subscribed' : 'read'
    const outlet = new Outlet(call, (message) => {
      if (kind === 'subscribed' && message.hasEvent()) calls.delivered++
    })
    calls[kind]++
    if (kind === 'subscribed') outlet.signal.addEventListener('abort', () => calls.subscribed--)
    try {
      if (call.request.getOptions()?.hasAll()) access.assertMayReadAll(call.metadata)
      else access.assertKnown(call.metadata)
      await read(log, call, outlet, emptyCheckpoint)
      outlet.end()
    } catch (error) {
      outlet.fail(error as Error)
    }
  }
}

async function read(
  log: EventLog,
  call: ServerWritableStream<ReadReq, ReadResp>,
  outlet: Outlet,
  emptyCheckpoint: string | undefined,
): Promise<void> {
  const options = call.request.getOptions()
  const [ofStream, ofAll] = [options?.getStream(), options?.getAll()]
  if (options === undefined) return
  if (ofStream !== undefined && options.hasSubscription()) return subscribeToStream(log, ofStream, outlet)
  if (ofAll !== undefined && options.hasSubscription())
    return subscribeToAll(log, ofAll, options.getFilter(), outlet, emptyCheckpoint)
  const count = Number(options.getCount())
  const backwards = options.getReadDirection() === 1
  if (ofStream !== undefined) return readStream(log, ofStream, count, backwards, outlet)
  if (ofAll !== undefined) return readAll(log, ofAll, count, backwards, outlet)
}

async function readStream(
  log: EventLog,
  from: ReadReq.Options.StreamOptions,
  count: number,
  backwards: boolean,
  outlet: Outlet,
): Promise<void> {
  const name = streamName(from.getStreamIdentifier())
  const stream = log.stream(name)
  const owner = name.startsWith('$$') ? log.stream(name.slice(2)) : stream
  if (stream.state === 'tombstoned' || owner.state === 'tombstoned') throw streamDeleted(name)
  const atEnd = from.hasEnd() || (from.hasRevision() && isEndOfTime(from.getRevision()))
  if (count === 0 || (atEnd && !backwards)) throw unexpectedResult('ReadStreamResult')
  if (stream.state === 'missing' || stream.state === 'deleted') return outlet.send(notFoundMessage(name))
  // It skips later appends, because a reader sees an append whole or not at all.
  const start = atEnd ? stream.last : from.hasRevision() ? Number(from.getRevision()) : backwards ? 0 : stream.first
  let [low, high] = backwards ? [stream.first, Math.min(start, stream.last)] : [start, stream.last]
  low = Math.max(low, stream.first)
  for (let left = count; left > 0 && low <= high; ) {
    const page = log.ofStream(name, low, high, backwards ? 'DESC' : 'ASC', Math.min(left, pageEvents))
    left -= page.length
    if (!(await sendAll(page, outlet))) return
    if (backwards) high = Number(page.at(-1)?.revision) - 1
    else low = Number(page.at(-1)?.revision) + 1
  }
}

async function readAll(
  log: EventLog,
  from: ReadReq.Options.AllOptions,
  count: number,
  backwards: boolean,
  outlet: Outlet,
): Promise<void> {
  if (count === 0) throw unexpectedResult('ReadAllResult')
  const start = Number(from.getPosition()?.getCommitPosition() ?? 0)
  if (from.hasPosition() && !log.canReadFrom(start)) throw unexpectedResult('ReadAllResult')
  if (from.hasEnd() && !backwards) return
  let position = from.hasEnd() ? Number.MAX_SAFE_INTEGER : start
  for (let left = count; left > 0; ) {
    const size = Math.min(left, pageEvents)
    const page = backwards ? log.backwards(position, size) : log.forwards(position, size)
    if (!(await sendAll(page, outlet)) || page.length < size) return
    left -= page.length
    position = (page.at(-1)?.position ?? 0) + (backwards ? 0 : 1)
  }
}

/** False if the reader has left. */
async function sendAll(events: readonly LoggedEvent[], outlet: Outlet): Promise<boolean> {
  for (const event of events) {
    await outlet.send(eventMessage(event))
    if (outlet.closed) return false
  }
  return true
}
