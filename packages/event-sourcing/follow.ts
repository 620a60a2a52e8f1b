import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import type { Following } from './following.ts'

/** Who reads the feed, and what becomes of it. */
export type Follower = {
  /** Only streams whose name begins with one of these, such as `job-`. */
  readonly prefixes: readonly string[]
  /** Told after every batch whether the follower has caught up, and when it fails. */
  readonly following: Following
  /** The position after which the feed is read: a checkpoint, or 0 for all of it. Asked again whenever it begins again. */
  begin(signal: AbortSignal): Promise<number>
  /** Takes a batch in. The next one is read when this has been done. */
  take(batch: FeedBatch, signal: AbortSignal): Promise<void> | void
  /** Runs beside the feed, for a follower that can fail while no events come. Ends only by its signal or an error. */
  watch?(signal: AbortSignal): Promise<void>
  /**
   * Told of what `begin`, `take`, `watch` or the store has thrown: the place to forget and to log.
   * @returns after how many milliseconds to begin again
   * @throws to end following
   */
  failed(error: unknown): number
}

type Ports = { store: EventStore; clock: Clock }

/**
 * Follows the feed until the signal is aborted: history first, then what is appended. The store itself waits for a
 * server that is away; after any other failure the follower says when to begin again.
 * @throws what `failed` throws
 */
export async function follow(ports: Ports, follower: Follower, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      // 1. Find out where to begin.
      const after = await follower.begin(signal)
      if (signal.aborted) return
      // 2. Read from there on, with the watch beside it. Neither ends before the signal but by an error.
      const reading = (own: AbortSignal): Promise<void> => read(ports.store, follower, after, own)
      const watching = async (own: AbortSignal): Promise<void> => follower.watch?.(own)
      await besideEachOther(follower.watch === undefined ? [reading] : [reading, watching], signal)
      if (!signal.aborted) throw new Error('the feed has ended')
    } catch (error) {
      follower.following.note(false)
      if (signal.aborted) return
      // 3. After a failure begin again, or give up.
      await ports.clock.sleep(follower.failed(error), signal).catch(() => undefined)
    }
  }
}

async function read(store: EventStore, follower: Follower, after: number, signal: AbortSignal): Promise<void> {
  for await (const batch of store.follow({ after, prefixes: follower.prefixes, signal })) {
    await follower.take(batch, signal)
    if (signal.aborted) return
    follower.following.note(batch.caughtUp)
  }
}

/** Runs works side by side until the signal is aborted; the first that ends or fails ends the others. @throws its error */
async function besideEachOther(
  works: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const end = new AbortController()
  const own = AbortSignal.any([signal, end.signal])
  const ended = await Promise.allSettled(works.map((work) => work(own).finally(() => end.abort())))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}
