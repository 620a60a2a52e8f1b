import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  eventTypeFilter,
  type Filter,
  type Position,
  type START,
  streamNameFilter,
} from '@eventstore/db-client'
import { PositionError } from './failures.ts'
import { type RecordedEvent, recordedPosition } from './records.ts'
import { isSamePlace, whereToBegin } from './where-to-begin.ts'

/** The items of a subscription, in order. */
export type FeedItem =
  | { kind: 'event'; event: RecordedEvent; position: number }
  /** The server has looked at everything up to this position. None comes at rest. */
  | { kind: 'checkpoint'; position: number }
  | { kind: 'caught-up' }

/** How long to wait for the confirmation. The 101st subscription of a process is not refused: it stays silent. */
const confirmedWithinMs = 10_000
/** Events that the server looks through between two checkpoints: in one window, and one checkpoint a window. */
const maxSearchWindow = 500
const checkpointInterval = 1

export type FeedFilter = { streams: readonly string[] } | { types: readonly string[] }

/** The client of a subscription, and how long a read for it may take, milliseconds. */
export type FeedSource = {
  client: EventStoreDBClient
  credentials: { username: string; password: string }
  deadlineMs: number
}

type Mark = { mark: FeedItem }

/**
 * Reads the feed after a position: history, `caught-up`, then what is appended. Ends when the signal is aborted.
 *
 * Nothing is buffered besides the client's stream (16 events and its window of bytes). A slow reader slows the server
 * down, and is dropped by it once it is live.
 * @throws the client's errors; a subscription never resumes by itself
 */
export async function* subscribeToFeed(
  source: FeedSource,
  after: number,
  filter: FeedFilter,
  signal: AbortSignal,
): AsyncGenerator<FeedItem> {
  const { client, deadlineMs } = source
  const from = await whereToBegin(client, after, deadlineMs)
  if (signal.aborted) return
  let isFirst = true
  for await (const item of subscribeFrom(source, from, filter, signal)) {
    // By now the server has found the record. A scavenge may have deleted it just before.
    if (isFirst && !isSamePlace(from, await whereToBegin(client, after, deadlineMs)))
      throw new Error(`a scavenge deleted the record at position ${after}, where a subscription began`)
    isFirst = false
    if (item.kind !== 'event' || item.position > after) yield item
  }
}

async function* subscribeFrom(
  { client, credentials }: FeedSource,
  from: Position | typeof START,
  filter: FeedFilter,
  signal: AbortSignal,
): AsyncGenerator<FeedItem> {
  let subscription: AllStreamSubscription | undefined
  /** Puts marks in order with the events: the client's callbacks may run ahead of them. */
  const put = (item: FeedItem): void => {
    subscription?.push({ mark: item } satisfies Mark)
  }
  const checkpointReached = async (_: unknown, position: Position): Promise<void> =>
    put({ kind: 'checkpoint', position: Number(position.commit) })
  subscription = client.subscribeToAll({
    fromPosition: from,
    filter: filterOf(filter, checkpointReached),
    credentials,
  })
  const stop = (): void => void subscription.destroy()
  // Errors after the last read have no other listener: they would end the process.
  subscription.on('error', () => undefined)
  subscription.on('caughtUp', () => put({ kind: 'caught-up' }))
  const silence = watchSilence(subscription)
  signal.addEventListener('abort', stop)
  try {
    for await (const item of subscription as AsyncIterable<AllStreamResolvedEvent | Mark>) {
      if ('mark' in item) yield item.mark
      else if (item.event !== undefined)
        yield { kind: 'event', event: item.event, position: recordedPosition(item.event) }
    }
    if (!signal.aborted) throw new Error('the event store ended a subscription')
  } catch (error) {
    if (signal.aborted) return
    // The server's error for a position without an event.
    if (String(error).includes('Exception was thrown by handler'))
      throw new PositionError('the event store could not begin at the requested position', { cause: error })
    throw error
  } finally {
    silence.abort()
    signal.removeEventListener('abort', stop)
    // Not awaited: without a connection there is nothing to unsubscribe from.
    subscription.unsubscribe().catch(() => undefined)
  }
}

function filterOf(filter: FeedFilter, checkpointReached: Filter['checkpointReached']): Filter {
  const options = { maxSearchWindow, checkpointInterval, ...(checkpointReached && { checkpointReached }) }
  if ('types' in filter) return eventTypeFilter({ prefixes: [...filter.types], ...options })
  return streamNameFilter({ prefixes: [...filter.streams], ...options })
}

function watchSilence(subscription: AllStreamSubscription): AbortController {
  const heard = new AbortController()
  subscription.once('confirmation', () => heard.abort())
  sleep(confirmedWithinMs, undefined, { signal: heard.signal, ref: false }).then(
    () => subscription.destroy(new Error('the event store did not confirm a subscription')),
    () => undefined,
  )
  return heard
}
