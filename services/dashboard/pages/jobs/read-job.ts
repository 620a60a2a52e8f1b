import type { CreditsTransaction, JobDetails, TranscriptResult } from '#contracts/generated/http.ts'
import type { JobRequest } from '#packages/acceptance/job-request.ts'
import { jobDetailsOf } from '#packages/jobs/job-details.ts'
import type { Owned, ShownEvents } from '#packages/jobs/job-history.ts'
import { noSuchJob } from '#packages/jobs/no-such-job.ts'
import { Timeline } from '#packages/jobs/timeline.ts'
import { listJobTransactions } from '#packages/ledger/list-job-transactions.ts'
import type { KeyDocument } from '#packages/views/keys.ts'
import { type OrMissing, orMissing } from '../../look/missing.tsx'
import type { DashboardParts } from '../../parts.ts'
import type { ToldEvent } from './told-event.ts'
import { toldOf } from './told-events.ts'

export type ReadParts = Pick<DashboardParts, 'history' | 'watch' | 'attempts' | 'store' | 'views' | 'clock'>

/** The result of a completed job. */
export type JobResult =
  | { kind: 'transcript'; json: string; transcript: TranscriptResult }
  | { kind: 'extraction'; json: string; extraction: unknown }

/** A job as its page shows it. */
export type ReadJob = {
  now: number
  details: JobDetails
  /** What was asked for; undefined where it was never taken on. */
  request: (JobRequest & { keyId: string | null }) | undefined
  title: string | null
  events: ToldEvent[]
  /** Undefined where there is none, or not yet. */
  result: JobResult | undefined
  lines: OrMissing<CreditsTransaction[]>
  /** The name of the key by which it was asked for; undefined: by none, or it is not known. */
  keyName: string | undefined
}

/** @throws ServiceError not_found */
export async function historyOf({ history }: Pick<ReadParts, 'history'>, owned: Owned): Promise<ShownEvents> {
  const shown = await history.read(owned)
  if (shown === undefined) throw noSuchJob()
  return shown
}

/** Everything about one job. @throws ServiceError not_found */
export async function readJob(parts: ReadParts, owned: Owned): Promise<ReadJob> {
  const shown = await historyOf(parts, owned)
  const { jobId } = owned
  const now = parts.clock.now()
  const details = jobDetailsOf(shown, { jobId, now, used: parts.attempts.usedBy(jobId) })
  const requested = shown.events.find((event) => event.type === 'JobRequested')
  const [result, lines, keyName] = await Promise.all([
    details.state === 'completed' ? resultOf(parts, owned, details.kind) : undefined,
    orMissing(() => linesOf(parts, owned, shown)),
    keyNameOf(parts, requested?.data.keyId ?? null),
  ])
  const found = shown.events.find((event) => event.type === 'VideoFetched')
  return {
    now,
    details,
    request: requested?.data,
    title: found?.data.metadata.title ?? null,
    events: new Timeline().tell(shown).map(toldOf),
    result,
    lines,
    keyName,
  }
}

/** The result of a completed job; undefined while it is not shown yet. */
export async function resultOf(
  { watch }: Pick<ReadParts, 'watch'>,
  { jobId, orgId }: Owned,
  kind: JobDetails['kind'],
): Promise<JobResult | undefined> {
  const seen = await watch.see({ jobId, orgId, kind })
  if (seen?.status !== 'completed') return undefined
  const { result: json } = seen
  return kind === 'transcript'
    ? { kind, json, transcript: JSON.parse(json) }
    : { kind, json, extraction: JSON.parse(json) }
}

function linesOf({ store }: ReadParts, { jobId, orgId }: Owned, { events, end }: ShownEvents) {
  const began = events[0]?.position ?? 0
  const ended = end === 'settled' ? events.at(-1)?.position : undefined
  return listJobTransactions(store, orgId, { jobId, began, ended })
}

/** The name stays known after a key is revoked. */
async function keyNameOf({ views }: ReadParts, keyId: string | null): Promise<string | undefined> {
  if (keyId === null) return undefined
  const key = await orMissing(() => views.get<KeyDocument>('keys', keyId))
  return key.missing ? undefined : key.value?.name
}
