import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import type { Following } from './following.ts'

/** Who reads the feed, and what becomes of it. */
export type Follower = {
  /** Only streams whose name begins with one of these, such as `job-`. */
  readonly prefixes: readonly string[]
  /** Told after every batch how the follower stands. */
  readonly following: Following
  /** The position after which the feed is read: a checkpoint, or 0 for all of it. Asked again whenever it begins again. */
  begin(signal: AbortSignal): Promise<number>
  /** Takes a batch in. The next one is read when this has been done. */
  take(batch: FeedBatch, signal: AbortSignal): Promise<void> | void
  /**
   * Told of what `begin`, `take` or the store has thrown: the place to forget and to log.
   * @returns whether to begin again; if not, `follow` throws the error
   */
  failed(error: unknown): boolean
}

/**
 * Follows the feed until the signal is aborted: history first, then what is appended. A store that is away is waited for
 * by the store itself; what its follower cannot take in is begun again where the follower says so.
 * @param againAfterMs how long to wait before beginning again, milliseconds
 * @throws what `failed` does not want to begin again for
 */
export async function follow(
  { store, clock }: { store: EventStore; clock: Clock },
  follower: Follower,
  { signal, againAfterMs }: { signal: AbortSignal; againAfterMs: number },
): Promise<void> {
  while (!signal.aborted) {
    try {
      // 1. Find out where to begin.
      const after = await follower.begin(signal)
      if (signal.aborted) return
      // 2. Read batch by batch, and take each in before the next.
      for await (const batch of store.follow({ after, prefixes: follower.prefixes, signal })) {
        await follower.take(batch, signal)
        if (signal.aborted) return
        // 3. Tell how far it has come.
        follower.following.note(batch.caughtUp)
      }
    } catch (error) {
      // 4. What failed is begun again, or ends it.
      follower.following.note(false)
      if (signal.aborted) return
      if (!follower.failed(error)) throw error
    }
    await clock.sleep(againAfterMs, signal).catch(() => undefined)
  }
}
