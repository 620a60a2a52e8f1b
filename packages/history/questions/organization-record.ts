import { lastRevision } from '#packages/events/store/last-revision.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { HistoryStore } from './history-store.ts'
import { forwardsFrom } from './search.ts'

/**
 * What happened to one organization: its own events, and those of its keys, webhooks, batches and credits. Jobs have
 * separate histories, and deliveries belong to jobs.
 */
export type OrganizationRecord = {
  /** In the order in which they were stored. The ledger is read page by page. */
  events: AsyncIterable<StoredEvent>
  /** A position of the feed. No event up to it is missing. */
  position: number
}

/** Prefixes of streams that do not name their organization: keys, webhooks and batches. */
const ofIts = ['key-', 'webhook-', 'batch-', 'watch-']

/** The prefixes of its streams' names. */
export const streamsOfOrganization = (orgId: string): string[] => [
  streams.organization(orgId),
  streams.credits(orgId),
  ...ofIts,
]

/** True if an event of these streams is about the organization. */
export const isOfOrganization = ({ metadata }: StoredEvent, orgId: string): boolean => metadata.orgId === orgId

/** Reads an organization; undefined if there is none. */
export async function readOrganization(store: HistoryStore, orgId: string): Promise<OrganizationRecord | undefined> {
  const own = await store.read(streams.organization(orgId))
  // Its first events may have been truncated.
  const last = await lastRevision(store, streams.credits(orgId))
  if (own.length === 0 && last === undefined) return undefined
  const others: StoredEvent[] = []
  const end = new AbortController()
  let read = 0
  for await (const { events, position, caughtUp } of store.follow({
    after: 0,
    prefixes: ofIts,
    signal: end.signal,
  })) {
    others.push(...events.filter((event) => isOfOrganization(event, orgId)))
    read = position
    if (caughtUp) end.abort()
  }
  const few = [...own, ...others].sort((a, b) => a.position - b.position)
  return { events: merged(few, forwardsFrom(store, streams.credits(orgId), 0)), position: read }
}

/** Merges two runs of events, each in the order of positions. */
async function* merged(few: readonly StoredEvent[], many: AsyncIterable<StoredEvent>): AsyncIterable<StoredEvent> {
  let next = 0
  const before = function* (position: number): Iterable<StoredEvent> {
    for (let event = few[next]; event !== undefined && event.position < position; event = few[++next]) yield event
  }
  for await (const event of many) {
    yield* before(event.position)
    yield event
  }
  yield* before(Number.POSITIVE_INFINITY)
}
