import { setTimeout as sleep } from 'node:timers/promises'
import type { EventCodec } from '#packages/events/codec.ts'
import type { FeedBatch, FollowOptions, StoredEvent } from '#packages/ports/event-store.ts'
import type { PageLimits } from '../feed-batch.ts'
import type { Connection } from './connection.ts'
import { isAnswered, PositionError } from './failures.ts'
import type { LiveFeed } from './live-feed.ts'
import { sizeOf, storedEvent, tombstoneType } from './records.ts'
import { PutBackError } from './refusals.ts'
import { subscribeToFeed } from './subscription.ts'

export type FollowParts = { connection: Connection; feed: LiveFeed; codec: EventCodec; page: PageLimits }

const retryAfterMs = 250
/** A quiet history tells how far it has been read after this many windows of 32 events. */
const windowsOfBatch = 100

/**
 * The feed after a position. Who is behind what this process holds reads history by a subscription of its own, until it
 * has come to the tail that all share; who has fallen behind the tail does so again.
 * @throws PositionError the position is none of this store's
 */
export async function* followFeed(parts: FollowParts, options: FollowOptions): AsyncGenerator<FeedBatch> {
  const { feed, page } = parts
  const { prefixes, signal } = options
  let position = options.after
  let told: boolean | undefined
  await assertNotBeyond(parts, options)
  while (!signal.aborted) {
    const batch = feed.tail?.after(position, prefixes, page)
    if (batch === undefined) {
      if (feed.tail === undefined) await feed.changed.wait(signal)
      else {
        for await (const past of history(parts, { after: position, prefixes, signal })) {
          yield past
          position = past.position
        }
      }
      continue
    }
    const { error, ...found } = batch
    const caughtUp = found.caughtUp && feed.caughtUp
    if (found.position > position || told !== caughtUp) {
      position = found.position
      told = caughtUp
      yield { ...found, caughtUp }
    } else if (error === undefined && found.caughtUp) await feed.changed.wait(signal)
    if (error !== undefined) throw error
  }
}

/**
 * Nothing would ever come to who follows from beyond the end, and it would look as if nothing happened. The end is asked
 * for anew: others may have seen more by now than this process.
 */
async function assertNotBeyond({ connection, feed }: FollowParts, { after, signal }: FollowOptions): Promise<void> {
  while (!signal.aborted && after > (feed.tail?.end ?? 0)) {
    const end = await connection.endOfLog().catch((error: unknown) => {
      if (isAnswered(error)) throw error
      // Told already, and asked again.
      return undefined
    })
    if (end !== undefined && end < after) await refuse(connection, after)
    if (end !== undefined) return
    await sleep(retryAfterMs, undefined, { signal }).catch(() => undefined)
  }
}

/** @throws PositionError what was made from the store's events was made from more than it has */
async function refuse(connection: Connection, after: number): Promise<void> {
  connection.mark.note(after)
  connection.doubt()
  await connection.verify().catch((error: unknown) => {
    throw error instanceof PutBackError ? new PositionError(error.message) : error
  })
}

/** What lies between a position and the tail, as it is now. */
async function* history(parts: FollowParts, options: FollowOptions): AsyncGenerator<FeedBatch> {
  const { connection, feed } = parts
  const { signal } = options
  const reading = { ...options, end: feed.tail?.end ?? 0, removed: undefined as Set<string> | undefined }
  while (!signal.aborted) {
    const { client } = connection
    try {
      await connection.verify()
      reading.removed ??= await removedStreams(connection, reading.after, signal)
      for await (const batch of readHistory(parts, reading, reading.removed)) {
        yield batch
        reading.after = batch.position
      }
      return
    } catch (error) {
      if (signal.aborted) return
      if (isAnswered(error)) throw error
      connection.failed(client, error, 'feed')
      await sleep(retryAfterMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

/**
 * The streams that were tombstoned after a position. Their events stand before that in the log, and who reads history
 * is to pass over them; the server looks for the marks some ten times as fast as it could give the events.
 */
async function removedStreams(connection: Connection, after: number, signal: AbortSignal): Promise<Set<string>> {
  const removed = new Set<string>()
  const filter = { types: [tombstoneType] }
  for await (const item of subscribeToFeed(connection.sourceOf(connection.client), after, filter, signal)) {
    if (item.kind === 'caught-up') break
    if (item.kind === 'event') removed.add(item.event.streamId)
  }
  return removed
}

/** Ends when everything up to `end` has been given. */
async function* readHistory(
  { connection, codec, page }: FollowParts,
  { after, prefixes, end, signal }: FollowOptions & { end: number },
  removed: ReadonlySet<string>,
): AsyncGenerator<FeedBatch> {
  const source = connection.sourceOf(connection.client)
  let events: StoredEvent[] = []
  let [position, windows, bytes] = [after, 0, 0]
  const taken = (): FeedBatch => {
    const batch = { events, position, caughtUp: false }
    const last = events.at(-1)
    if (last !== undefined) connection.mark.noteEvent(last)
    events = []
    windows = 0
    bytes = 0
    return batch
  }
  for await (const item of subscribeToFeed(source, after, { streams: prefixes }, signal)) {
    if (item.kind === 'caught-up') break
    if (item.kind === 'checkpoint') windows++
    else if (item.event.type !== tombstoneType && !removed.has(item.event.streamId)) {
      try {
        events.push(storedEvent(codec, item.event))
      } catch (error) {
        // What stands before it is given first, so that a follower stops exactly there.
        if (events.length > 0) yield taken()
        throw error
      }
      bytes += sizeOf(item.event)
    }
    position = Math.max(position, item.position)
    if (events.length >= page.events || bytes >= page.bytes || windows >= windowsOfBatch) yield taken()
  }
  if (signal.aborted) return
  connection.succeeded('feed')
  position = Math.max(position, end)
  yield taken()
}
