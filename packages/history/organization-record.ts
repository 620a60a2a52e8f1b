import { lastRevision } from '#packages/event-store/last-revision.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { HistoryStore } from './history-store.ts'
import { forwardsFrom } from './search.ts'

/** What happened to one organization: itself, its keys, its webhooks and its credits. Jobs have
 * histories of their own, and deliveries are of jobs. */
export type OrganizationRecord = {
  /** In the order in which they were stored. The ledger is read page by page. */
  events: AsyncIterable<StoredEvent>
  /** A position of the feed; of the events up to it none is missing. */
  position: number
}

/** Streams that do not name their organization: keys and webhooks. */
const ofIts = ['key-', 'webhook-']

/** The beginnings of the names of its streams. */
export const streamsOfOrganization = (orgId: string): string[] => [
  streams.organization(orgId),
  streams.credits(orgId),
  ...ofIts,
]

/** Whether an event of these streams is about the organization. */
export const isOfOrganization = ({ metadata }: StoredEvent, orgId: string): boolean => metadata.orgId === orgId

/** Reads an organization; undefined where there is none. */
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

/** Two runs of events, each in the order of positions, as one. */
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
