import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import type { FeedLag } from './feed-lag.ts'

/** A reader of the feed: its beginning, and what it does with each batch and each failure. */
export type Follower = {
  /** Read only streams that begin with one of these prefixes, such as `job-`. */
  readonly prefixes: readonly string[]
  /** Updated after every batch and every failure. */
  readonly lag: FeedLag
  /** The position after which to read: a checkpoint, or 0 for the whole feed. Called again after every failure. */
  begin(signal: AbortSignal): Promise<number>
  /** Handles a batch. The next one is read once this has ended. */
  take(batch: FeedBatch, signal: AbortSignal): Promise<void> | void
  /**
   * Runs while the feed is read, to notice failures even while no events arrive. Ends only by its signal or an error.
   */
  watch?(signal: AbortSignal): Promise<void>
  /**
   * Called with the error that `begin`, `take`, `watch` or the store threw. Logs it, and drops state that may be wrong.
   * Missing: the error ends following.
   * @returns the milliseconds to wait before beginning again
   * @throws to end following
   */
  failed?(error: unknown): number
}

/** Reads the feed of its process along with the follower. It never fails and never waits. */
export interface FeedReader {
  /** Read only streams that begin with one of these prefixes. */
  readonly prefixes: readonly string[]
  /** Batches may also have events of other streams. After a failure, events are repeated. */
  take(batch: FeedBatch): void
}

type Ports = { store: EventStore; clock: Clock }

/**
 * Follows the feed until the signal is aborted: history first, then new events. The store itself waits for a server
 * that is away. After any other failure the follower decides when to begin again.
 * @throws what `failed` throws, or the error if there is no `failed`
 */
export async function follow(ports: Ports, follower: Follower, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      // 1. Ask where to begin.
      const after = await follower.begin(signal)
      if (signal.aborted) return
      // 2. Read from there on, and run the watch at the same time. Unless the signal is aborted, either ends only with
      // an error.
      const reading = (own: AbortSignal): Promise<void> => read(ports.store, follower, after, own)
      const watching = async (own: AbortSignal): Promise<void> => follower.watch?.(own)
      await besideEachOther(follower.watch === undefined ? [reading] : [reading, watching], signal)
      if (!signal.aborted) throw new Error('the feed has ended')
    } catch (error) {
      if (signal.aborted) return
      follower.lag.note(false)
      // 3. After a failure begin again, or give up.
      if (follower.failed === undefined) throw error
      await ports.clock.sleep(follower.failed(error), signal).catch(() => undefined)
    }
  }
}

async function read(store: EventStore, follower: Follower, after: number, signal: AbortSignal): Promise<void> {
  for await (const batch of store.follow({ after, prefixes: follower.prefixes, signal })) {
    await follower.take(batch, signal)
    if (signal.aborted) return
    follower.lag.note(batch.caughtUp)
  }
}

/**
 * Runs several works concurrently until the signal is aborted. The first to end or fail ends the others. @throws its
 * error
 */
async function besideEachOther(
  works: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const end = new AbortController()
  const own = AbortSignal.any([signal, end.signal])
  const ended = await Promise.allSettled(works.map((work) => work(own).finally(() => end.abort())))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}
