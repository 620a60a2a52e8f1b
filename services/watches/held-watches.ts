import { dueAt } from '#packages/domain/watch/due.ts'
import { isKnown, type KnownWatch, pendingIn, type Watch } from '#packages/domain/watch/state.ts'
import { watch } from '#packages/domain/watch/watch.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { WatchDocument } from '#packages/events/views/watches.ts'
import { offsetOf, type Source } from '#packages/platforms/sources/source.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'

/** One watch in the owner's memory. Instants are milliseconds since 1970. */
export type HeldWatch = {
  watchId: string
  state: KnownWatch
  /** Revision of the newest event that was read. */
  revision: number
  /** Time of the last look, recorded or not; null: none by this process. */
  lookedAt: number | null
  /** The owner leaves the watch alone until this instant. */
  restsUntil: number
  /** No decision about the watch is made until this revision was read. */
  awaits: number
  isKeyRevoked: boolean
  isBusy: boolean
}

/** All watches that exist, folded from the `watch-` and `key-` streams of the feed. */
export class HeldWatches {
  readonly #byId = new Map<string, HeldWatch>()

  get size(): number {
    return this.#byId.size
  }

  [Symbol.iterator](): IterableIterator<HeldWatch> {
    return this.#byId.values()
  }

  apply(event: StoredEvent): void {
    if (event.stream.startsWith('watch-')) this.take(event.stream.slice('watch-'.length), [event])
    else if (event.type === 'KeyRevoked') this.#revoke(event.stream.slice('key-'.length))
    else if (event.type === 'StreamsRemoved')
      for (const stream of event.data.streams) if (stream.startsWith('watch-')) this.#byId.delete(stream.slice(6))
  }

  /** Folds further events of a watch, oldest first. */
  take(watchId: string, events: readonly StoredEvent[]): HeldWatch | undefined {
    const known = this.#byId.get(watchId)
    const more = events.filter(({ revision }) => revision > (known?.revision ?? -1))
    const last = more.at(-1)
    if (last === undefined) return known
    const before: Watch = known?.state ?? watch.initialState
    const state = fold(watch, more, before)
    if (!isKnown(state)) {
      this.#byId.delete(watchId)
      return undefined
    }
    const held = known ?? {
      watchId,
      lookedAt: null,
      restsUntil: 0,
      awaits: -1,
      isKeyRevoked: false,
      isBusy: false,
    }
    // The watch was resumed or changed, so its rest ends.
    const rests = more.some(({ type }) => type === 'WatchResumed' || type === 'WatchChanged') ? { restsUntil: 0 } : {}
    const taken = Object.assign(held, { state, revision: last.revision }, rests)
    this.#byId.set(watchId, taken)
    return taken
  }

  #revoke(keyId: string): void {
    for (const held of this) if (held.state.keyId === keyId) held.isKeyRevoked = true
  }
}

/** The time at which a watch is due: for a look, or for jobs that are to begin. */
export function dueOf({ state, lookedAt, restsUntil, isKeyRevoked }: HeldWatch): number {
  if (state.status !== 'on') return Number.POSITIVE_INFINITY
  if (isKeyRevoked) return 0
  const due = pendingIn(state).length > 0 ? 0 : lookDueOf({ state, lookedAt })
  return Math.max(restsUntil, due)
}

export const lookDueOf = ({ state, lookedAt }: Pick<HeldWatch, 'state' | 'lookedAt'>): number => {
  const newest = Math.max(lookedAt ?? 0, state.lookedAt ?? 0)
  return dueAt(state, offsetOf(state.source as Source), newest === 0 ? null : newest)
}

/** Loads the watches from the views and their streams. @returns them, and the position after which to read the feed */
export async function loadWatches({ store, views }: { store: EventStore; views: Views }) {
  const after = await views.checkpoint()
  const watches = new HeldWatches()
  for (const { id } of await views.find<WatchDocument>('watches', 'isThere', 'yes')) {
    const held = watches.take(id, await store.read(streams.watch(id)))
    const keyId = held?.state.keyId ?? null
    if (held === undefined || keyId === null) continue
    const events = await store.read(streams.key(keyId))
    held.isKeyRevoked = events.length === 0 || events.some(({ type }) => type === 'KeyRevoked')
  }
  return { watches, after }
}
