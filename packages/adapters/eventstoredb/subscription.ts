import { type EventStoreDBClient, type Position, START } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { PositionError } from './calls/failures.ts'
import { ReadCall } from './calls/read-call.ts'
import { exactPosition, type RecordedEvent, recordedPosition } from './calls/records.ts'
import { isSamePlace, whereToBegin } from './where-to-begin.ts'

const { ReadReq } = streams
type Request = InstanceType<typeof ReadReq>

/** The items of a subscription, in order. */
export type FeedItem =
  | { kind: 'event'; event: RecordedEvent; position: number; bytes: number }
  /** The server has looked at everything up to this position. None comes at rest. */
  | { kind: 'checkpoint'; position: number }
  | { kind: 'caught-up' }

/** How long to wait for the confirmation. The 101st subscription of a process is not refused: it stays silent. */
const confirmedWithinMs = 10_000
/** Events that the server looks through between two checkpoints: in one window, and one checkpoint a window. */
const maxSearchWindow = 500
const checkpointInterval = 1

export type FeedFilter = { streams: readonly string[] } | { types: readonly string[] }

/** The client of a subscription, and how long a read for it may take, milliseconds. `ended`: aborted with the client. */
export type FeedSource = {
  client: EventStoreDBClient
  ended: AbortSignal
  credentials: { username: string; password: string }
  deadlineMs: number
}

/**
 * Reads the feed after a position: history, `caught-up`, then what is appended. Gives what has come together. Ends when
 * the signal is aborted.
 *
 * Only a few events are buffered, and the client's window of bytes. A slow reader slows the server down, and is dropped
 * by it once it is live.
 * @throws the client's errors; a subscription never resumes by itself
 */
export async function* subscribeToFeed(
  source: FeedSource,
  after: number,
  filter: FeedFilter,
  signal: AbortSignal,
): AsyncGenerator<readonly FeedItem[]> {
  const { client, deadlineMs } = source
  const from = await whereToBegin(client, after, deadlineMs)
  if (signal.aborted) return
  let isFirst = true
  for await (const items of subscribeFrom(source, from, filter, signal)) {
    // By now the server has found the record. A scavenge may have deleted it just before.
    if (isFirst && !isSamePlace(from, await whereToBegin(client, after, deadlineMs)))
      throw new Error(`a scavenge deleted the record at position ${after}, where a subscription began`)
    isFirst = false
    yield items.filter((item) => item.kind !== 'event' || item.position > after)
  }
}

async function* subscribeFrom(
  { client, credentials, ended }: FeedSource,
  from: Position | typeof START,
  filter: FeedFilter,
  signal: AbortSignal,
): AsyncGenerator<readonly FeedItem[]> {
  if (ended.aborted) throw ended.reason
  const call = new ReadCall(client, requestOf(from, filter), credentials)
  const unconfirmed = new Error('the event store did not confirm a subscription')
  const silence = setTimeout(() => call.end(unconfirmed), confirmedWithinMs).unref()
  const stop = (): void => call.end(signal.reason)
  signal.addEventListener('abort', stop)
  const replaced = (): void => call.end(ended.reason)
  ended.addEventListener('abort', replaced)
  try {
    while (!signal.aborted) {
      const items: FeedItem[] = []
      for (const answer of await call.take()) {
        if (answer.kind === 'confirmation') clearTimeout(silence)
        else if (answer.kind === 'event') items.push({ ...answer, position: recordedPosition(answer.event) })
        else if (answer.kind === 'checkpoint') items.push({ ...answer, position: exactPosition(answer.position) })
        else if (answer.kind === 'caught-up') items.push(answer)
      }
      if (items.length > 0) yield items
    }
  } catch (error) {
    if (signal.aborted) return
    // The server's error for a position without an event.
    if (String(error).includes('Exception was thrown by handler'))
      throw new PositionError('the event store could not begin at the requested position', { cause: error })
    throw error
  } finally {
    clearTimeout(silence)
    signal.removeEventListener('abort', stop)
    ended.removeEventListener('abort', replaced)
    call.end(undefined)
  }
}

/** The request that the client makes of its `subscribeToAll`. */
function requestOf(from: Position | typeof START, filter: FeedFilter): Request {
  const options = new ReadReq.Options()
  const all = new ReadReq.Options.AllOptions()
  if (from === START) all.setStart(new shared.Empty())
  else {
    const position = new ReadReq.Options.Position()
    position.setCommitPosition(String(from.commit))
    position.setPreparePosition(String(from.prepare))
    all.setPosition(position)
  }
  options.setAll(all)
  options.setSubscription(new ReadReq.Options.SubscriptionOptions())
  options.setUuidOption(new ReadReq.Options.UUIDOption().setString(new shared.Empty()))
  options.setFilter(filterOf(filter))
  return new ReadReq().setOptions(options)
}

function filterOf(filter: FeedFilter): InstanceType<typeof ReadReq.Options.FilterOptions> {
  const { FilterOptions } = ReadReq.Options
  const prefixes = new FilterOptions.Expression()
  const made = new FilterOptions()
  if ('types' in filter) made.setEventType(prefixes.setPrefixList([...filter.types]))
  else made.setStreamIdentifier(prefixes.setPrefixList([...filter.streams]))
  made.setMax(maxSearchWindow)
  made.setCheckpointintervalmultiplier(checkpointInterval)
  return made
}
