import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { HistoryStore } from './history-store.ts'
import { isOfJob, type JobRecord } from './job-record.ts'
import { isOfOrganization, streamsOfOrganization } from './organization-record.ts'

/** Where to resume in the feed, and which later events are known already. */
export type Shown = { position: number; revisions: ReadonlyMap<string, number> }

/** The last revision of each stream in these events, oldest first. */
function lastRevisions(events: Iterable<StoredEvent>): Map<string, number> {
  return new Map([...events].map(({ stream, revision }) => [stream, revision]))
}

/** The further events of a job, as they are stored, up to its settlement. */
export async function* followJob(
  store: HistoryStore,
  { jobId, orgId, events }: JobRecord,
  signal: AbortSignal,
): AsyncIterable<StoredEvent> {
  if (events.some(isSettlement)) return
  const own = streams.job(jobId)
  // The job was read before its ledger, so no event up to this position is missing.
  const position = events.findLast(({ stream }) => stream === own)?.position ?? 0
  let before: StoredEvent | undefined
  const shown = { position, revisions: lastRevisions(events) }
  for await (const batch of further(store, shown, [own, streams.credits(orgId)], signal)) {
    for (const event of batch) {
      if (event.stream !== own && !isOfJob(event, jobId, before)) continue
      before = event.stream === own ? before : event
      yield event
    }
    if (before !== undefined && before.type !== 'CreditsDebited') return
  }
}

/** The further events of an organization, without end. */
export async function* followOrganization(
  store: HistoryStore,
  orgId: string,
  shown: Shown,
  signal: AbortSignal,
): AsyncIterable<StoredEvent> {
  for await (const batch of further(store, shown, streamsOfOrganization(orgId), signal))
    yield* batch.filter((event) => isOfOrganization(event, orgId))
}

const isSettlement = ({ type }: StoredEvent): boolean => type === 'CreditsSettled'

/** The events of the feed after those already shown, in batches. */
async function* further(
  store: HistoryStore,
  { position, revisions }: Shown,
  prefixes: readonly string[],
  signal: AbortSignal,
): AsyncIterable<StoredEvent[]> {
  for await (const { events } of store.follow({ after: position, prefixes, signal }))
    yield events.filter(({ stream, revision }) => revision > (revisions.get(stream) ?? -1))
}
