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

/** What a subscription says, in order. */
export type FeedItem =
  | { kind: 'event'; event: RecordedEvent; position: number }
  /** Everything up to here has been looked at. */
  | { kind: 'checkpoint'; position: number }
  | { kind: 'caught-up' }

/** A subscription that is refused for good reason fails; that which is the 101st of a process only stays silent. */
const confirmedWithinMs = 10_000
/** Windows that the server looks through before it says how far it has come: 32 events each. */
const checkpointInterval = 1

export type FeedFilter = { streams: readonly string[] } | { types: readonly string[] }

/** Whom a subscription is asked of, and how long a read beside it may take, milliseconds. */
export type FeedSource = {
  client: EventStoreDBClient
  credentials: { username: string; password: string }
  deadlineMs: number
}

type Mark = { mark: FeedItem }

/**
 * Reads the feed after a position: history, `caught-up`, then what is appended. Ends when the signal is aborted.
 *
 * Nothing is buffered but what the client's stream holds (16 events and its window of bytes): who reads slowly holds
 * the server back, and is dropped by it once it is live.
 * @throws the client's errors: a subscription never resumes by itself
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
    // By now the server has found its place. A scavenge may have taken that record just before.
    if (isFirst && !isSamePlace(from, await whereToBegin(client, after, deadlineMs)))
      throw new Error(`a scavenge took the record at position ${after} from under a subscription`)
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
  /** Marks take their place among the events: the client's own callbacks may run ahead of them. */
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
  // Errors after the last read have no other listener, and would end the process.
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
    // What the server says of a place where no event stands.
    if (String(error).includes('Exception was thrown by handler'))
      throw new PositionError('the event store could not begin where it was told to', { cause: error })
    throw error
  } finally {
    silence.abort()
    signal.removeEventListener('abort', stop)
    // Nobody waits for it: where there is no connection, there is nothing to leave.
    subscription.unsubscribe().catch(() => undefined)
  }
}

function filterOf(filter: FeedFilter, checkpointReached: Filter['checkpointReached']): Filter {
  const options = { checkpointInterval, ...(checkpointReached && { checkpointReached }) }
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
