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
/**
 * While a history has no events of ours, an empty batch with the position comes after this many windows of 32 events.
 */
const windowsOfBatch = 100

/**
 * The feed after a position. A follower behind the shared tail of this process reads history by a subscription of its
 * own until it reaches the tail. It does so again whenever it falls behind the tail.
 * @throws PositionError the position is not one of this store
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
 * A follower from beyond the end would wait for ever, as if nothing happened. The server is asked for the end: other
 * processes may have seen later events than this one.
 */
async function assertNotBeyond({ connection, feed }: FollowParts, { after, signal }: FollowOptions): Promise<void> {
  while (!signal.aborted && after > (feed.tail?.end ?? 0)) {
    const end = await connection.endOfLog().catch((error: unknown) => {
      if (isAnswered(error)) throw error
      // Reported already; ask again.
      return undefined
    })
    if (end !== undefined && end < after) await refuse(connection, after)
    if (end !== undefined) return
    await sleep(retryAfterMs, undefined, { signal }).catch(() => undefined)
  }
}

/** @throws PositionError the position is beyond the end: it comes from a store with more events */
async function refuse(connection: Connection, after: number): Promise<void> {
  connection.mark.note(after)
  connection.doubt()
  await connection.verify().catch((error: unknown) => {
    throw error instanceof PutBackError ? new PositionError(error.message) : error
  })
}

/** The events between a position and the present tail. */
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
 * The streams that were tombstoned after a position. Readers of history skip their events, which come earlier in the
 * log. The server finds the tombstones about ten times as fast as it could send the events.
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
        // Events before it are given first, so that a follower stops exactly there.
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
