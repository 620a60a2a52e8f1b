import type { EventData } from '#contracts/generated/events.ts'
import type { CreditsTransaction, JobDetails } from '#contracts/generated/http.ts'
import { listJobTransactions } from '#packages/accounts/ledger/list-job-transactions.ts'
import type { ShownValue } from '#packages/content/results/shown-value.ts'
import type { Place, TranscriptPage } from '#packages/content/results/transcript-page.ts'
import type { KeyDocument } from '#packages/events/views/keys.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { jobDetailsOf } from '#packages/jobs/status/job-details.ts'
import type { Owned, ShownEvents } from '#packages/jobs/status/job-history.ts'
import { Timeline } from '#packages/jobs/status/timeline.ts'
import { type OrMissing, orMissing } from '../../look/missing.tsx'
import type { DashboardParts } from '../../parts.ts'
import type { TimelineEntry } from './timeline-entry.ts'
import { timelineEntryOf } from './timeline-entry-of.ts'

export type ReadParts = Pick<DashboardParts, 'history' | 'watch' | 'results' | 'attempts' | 'store' | 'views' | 'clock'>

/** The part of a completed job's result that a page shows. */
export type JobResult = { kind: 'transcript'; page: TranscriptPage } | { kind: 'extraction'; value: ShownValue }

/** Which part of a result to show, and to whom. */
export type Look = { place: Place; signal: AbortSignal }

/** Everything that the page of a job shows. */
export type ReadJob = {
  now: number
  details: JobDetails
  /** The request; undefined if the job was never accepted. */
  request: EventData['JobRequested'] | undefined
  title: string | null
  thumbnail: string | null
  events: TimelineEntry[]
  /** Undefined if there is none, or none yet. */
  result: JobResult | undefined
  lines: OrMissing<CreditsTransaction[]>
  /** The name of the key that requested it; undefined: no key did, or the name is unknown. */
  keyName: string | undefined
}

/** For people, so the message names no paths of the API. */
export const noJobHere = (): ServiceError => new ServiceError('not_found', 'There is no such job.')

/** @throws ServiceError not_found */
export async function historyOf({ history }: Pick<ReadParts, 'history'>, owned: Owned): Promise<ShownEvents> {
  const shown = await history.read(owned)
  if (shown === undefined) throw noJobHere()
  return shown
}

/** Everything about one job. @throws ServiceError not_found */
export async function readJob(parts: ReadParts, owned: Owned, look: Look): Promise<ReadJob> {
  const facts = await factsOf(parts, owned)
  const { state, kind } = facts.details
  return { ...facts, result: state === 'completed' ? await resultOf(parts, owned, kind, look) : undefined }
}

/** Everything except the result. Does not keep the events, which may be large. */
async function factsOf(parts: ReadParts, owned: Owned): Promise<Omit<ReadJob, 'result'>> {
  const shown = await historyOf(parts, owned)
  const { jobId } = owned
  const now = parts.clock.now()
  const details = jobDetailsOf(shown, { jobId, now, used: parts.attempts.usedBy(jobId) })
  const requested = shown.events.find((event) => event.type === 'JobRequested')
  const [lines, keyName] = await Promise.all([
    orMissing(() => linesOf(parts, owned, shown)),
    keyNameOf(parts, requested?.data.keyId ?? null),
  ])
  const found = shown.events.find((event) => event.type === 'VideoFetched')
  return {
    now,
    details,
    request: requested?.data,
    title: found?.data.metadata.title ?? null,
    thumbnail: found?.data.metadata.thumbnail ?? null,
    events: new Timeline().tell(shown).map(timelineEntryOf),
    lines,
    keyName,
  }
}

/** The JSON of a result, as stored; undefined if there is none, or if it may not be shown yet. */
export async function jsonOf(
  { watch }: Pick<ReadParts, 'watch'>,
  { jobId, orgId }: Owned,
  kind: JobDetails['kind'],
): Promise<string | undefined> {
  const seen = await watch.see({ jobId, orgId, kind })
  return seen?.status === 'completed' ? seen.result : undefined
}

async function resultOf(
  parts: ReadParts,
  owned: Owned,
  kind: JobDetails['kind'],
  { place, signal }: Look,
): Promise<JobResult | undefined> {
  const json = () => jsonOf(parts, owned, kind)
  const reader = { orgId: owned.orgId, signal }
  if (kind === 'transcript') {
    const page = await parts.results.transcriptPage(json, place, reader)
    return page && { kind, page }
  }
  const value = await parts.results.value(json, reader)
  return value && { kind, value }
}

function linesOf({ store }: ReadParts, { jobId, orgId }: Owned, { events, end }: ShownEvents) {
  const began = events[0]?.position ?? 0
  const ended = end === 'settled' ? events.at(-1)?.position : undefined
  return listJobTransactions(store, orgId, { jobId, began, ended })
}

/** A key's name is known even after the key is revoked. */
async function keyNameOf({ views }: ReadParts, keyId: string | null): Promise<string | undefined> {
  if (keyId === null) return undefined
  const key = await orMissing(() => views.get<KeyDocument>('keys', keyId))
  return key.missing ? undefined : key.value?.name
}
