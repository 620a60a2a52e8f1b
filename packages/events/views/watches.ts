import { isKnown, type KnownWatch, type Watch } from '#packages/domain/watch/state.ts'
import { watch } from '#packages/domain/watch/watch.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/**
 * One watch, as lists show it. The videos that it has seen are only in its own events. Instants are milliseconds since
 * 1970.
 */
export type WatchDocument = Omit<KnownWatch, 'status' | 'seen' | 'found' | 'spent'> & {
  status: Exclude<Watch['status'], 'none'>
  /** The organization with this watch in its list; null once it is removed. */
  listedFor: string | null
  /** `yes` until it is removed. */
  isThere: 'yes' | 'no'
}

/**
 * The document after one more event. Leaves out the videos that the watch has seen and found, because lists do not show
 * them.
 */
function after(event: StoredEvent, current: WatchDocument | undefined): WatchDocument | undefined {
  const before =
    current && current.status !== 'removed' ? { ...current, ...nothing, status: current.status } : undefined
  const state = fold(watch, [event], before ?? watch.initialState)
  if (!isKnown(state)) return current && { ...current, status: 'removed', listedFor: null, isThere: 'no' }
  const { seen, found, spent, ...shown } = state
  return { ...shown, listedFor: state.orgId, isThere: 'yes' }
}

const nothing: Pick<KnownWatch, 'seen' | 'found' | 'spent'> = {
  seen: new Set(),
  found: [],
  spent: { period: '', jobs: [] },
}

export const watches: Projection<WatchDocument> = {
  name: 'watches',
  prefixes: ['watch-'],
  collection: { findBy: ['listedFor', 'orgId', 'isThere'] },
  changeOf(event) {
    if (!event.stream.startsWith('watch-')) return undefined
    return { id: event.stream.slice('watch-'.length), next: (current) => after(event, current) }
  },
  removedWith: goneWith('watch-', (id) => ({ id })),
}
