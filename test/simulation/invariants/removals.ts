import type { StoredEvent } from '#packages/ports/event-store.ts'
import { sha256, streams } from '#packages/ports/ids.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import type { Application, Deletion } from '../record.ts'
import { DAY_MS } from '../settings.ts'
import { type Check, endOf, type History, requestOf } from './history.ts'
import { type EventOf, ofType } from './raw-events.ts'

/**
 * Invariant 14: a removed stream was named before, for a reason, and is gone then. If a caller got the answer that a
 * job's content is deleted, it finds no such job any more. A repeat of the job's request finds none for a day, and is
 * not debited.
 */
export const removalsHold: Check = (history) => [
  ...unnamed(history),
  ...unfit(history),
  ...leftovers(history),
  ...wrongDeletions(history),
  ...seenAfterDeletion(history),
  ...wrongRepeats(history),
]

/** Streams that were removed, or truncated, without a reason. */
function unnamed({ removals, events, world: { record, settings } }: History): string[] {
  const problems: string[] = []
  const written = Map.groupBy(events, ({ stream }) => stream)
  for (const [stream, at] of record.removed) {
    const decision = removals.get(stream)
    const [firstEvent] = written.get(stream) ?? []
    const ageMs = at - (firstEvent?.recordedAt ?? at) + settings.maxSkewMs
    const isOld = firstEvent?.type === 'StreamsRemoved' && firstEvent.data.reason === 'retention' && ageMs >= DAY_MS
    if (decision === undefined && !isOld) problems.push(`${stream} was removed and no event says so`)
    if (decision !== undefined && at < decision.recordedAt) problems.push(`${stream} was removed before its decision`)
  }
  for (const stream of record.truncated) if (!stream.startsWith('credits-')) problems.push(`${stream} was truncated`)
  return problems
}

/**
 * Jobs that were named before they had ended, were settled, or were old enough, or without a request to forget them.
 */
function unfit({ removals, jobs, settlements, world: { record, settings } }: History): string[] {
  const problems: string[] = []
  const closed = new Set(record.closings.map(({ orgId }) => orgId))
  for (const [stream, { data, metadata, position, recordedAt }] of removals) {
    if (!stream.startsWith('job-')) continue
    const jobId = stream.slice('job-'.length)
    const job = jobs.get(jobId) ?? []
    const end = endOf(job)
    // An organization's debits name jobs that were never begun.
    if (job.length > 0 && (end === undefined || end.position > position)) problems.push(`${jobId} goes before its end`)
    if ((settlements.get(jobId)?.[0]?.position ?? 0) > position) problems.push(`${jobId} goes before it is settled`)
    const ageMs = recordedAt - (end?.recordedAt ?? 0) + settings.maxSkewMs
    if (data.reason === 'retention' && ageMs < DAY_MS) problems.push(`${jobId} goes ${DAY_MS - ageMs} ms too early`)
    const isAsked = record.deletions.some((one) => one.jobId === jobId && one.own && one.askedAt <= recordedAt)
    if (data.reason === 'forgotten' && !isAsked && !closed.has(metadata.orgId))
      problems.push(`nobody wanted ${jobId} to be forgotten`)
  }
  return problems
}

/** Named streams that still exist, or have new events. */
function leftovers({ removals, events, world }: History): string[] {
  const problems: string[] = []
  for (const [stream, { position }] of removals) {
    if (!world.events.removed.has(stream) || world.events.streams.has(stream)) problems.push(`${stream} is still there`)
    // The credits of a closed organization continue until its jobs are settled.
    const later = events.some((event) => event.stream === stream && event.position > position)
    if (later && stream.startsWith('job-')) problems.push(`${stream} goes on after it was to be removed`)
  }
  return problems
}

const isDeleted = ({ answer }: Deletion): boolean => answer !== undefined && answer.refusal === undefined

function wrongDeletions({ removals, jobs, world: { record } }: History): string[] {
  const problems: string[] = []
  for (const deletion of record.deletions) {
    const { jobId, own, answer, askedAt } = deletion
    if (answer === undefined) continue
    const decidedAt = removals.get(streams.job(jobId))?.recordedAt ?? Number.POSITIVE_INFINITY
    const removedAt = record.removed.get(streams.job(jobId)) ?? Number.POSITIVE_INFINITY
    const endedAt = endOf(jobs.get(jobId) ?? [])?.recordedAt ?? Number.POSITIVE_INFINITY
    if (isDeleted(deletion) && !own) problems.push(`a stranger deleted ${jobId}`)
    if (isDeleted(deletion) && removedAt > answer.at) problems.push(`${jobId} is there after its deletion`)
    if (own && answer.refusal === 'not_found' && decidedAt > answer.at)
      problems.push(`the owner of ${jobId} cannot delete it`)
    if (answer.refusal === 'job_not_ended' && endedAt < askedAt) problems.push(`${jobId} is said not to have ended`)
  }
  return problems
}

/** Answers that still show a job after its customer was assured that its content is deleted. */
function seenAfterDeletion({ removals, world: { record } }: History): string[] {
  const problems: string[] = []
  for (const { jobId, node, answer } of record.deletions.filter(isDeleted)) {
    const decision = removals.get(streams.job(jobId))
    const isLate = ({ askedAt, viewed }: { askedAt: number; viewed: number }): boolean =>
      askedAt > (answer?.at ?? 0) && viewed >= (decision?.position ?? 0)
    for (const one of record.sightings.filter((one) => one.jobId === jobId && one.seen !== undefined)) {
      const isKept = one.node !== node && one.askedAt - (answer?.at ?? 0) < ingressDefaults.endedJobsValidMs
      if (isLate(one) && !isKept) problems.push(`${jobId} is seen after its deletion`)
    }
    for (const one of record.readings)
      if (one.jobId === jobId && one.seen !== undefined && one.askedAt > (answer?.at ?? 0))
        problems.push(`${jobId} is read of after its deletion`)
    for (const listing of record.listings)
      if (listing.jobIds.includes(jobId) && isLate(listing)) problems.push(`${jobId} is listed after its deletion`)
  }
  return problems
}

type Forgotten = { jobId: string; removal: EventOf<'StreamsRemoved'> }

/** Answers to requests under the key of a forgotten job: for a day that there is no such job, later another job. */
function wrongRepeats(history: History): string[] {
  const { jobs, removals, world } = history
  const forgotten = [...jobs].flatMap(([jobId, job]) => {
    const removal = removals.get(streams.job(jobId))
    const { orgId, idempotencyKeyHash } = requestOf(job)?.data ?? {}
    return removal?.data.reason === 'forgotten' && idempotencyKeyHash
      ? [{ name: `${orgId} ${idempotencyKeyHash}`, jobId, removal }]
      : []
  })
  const byKey = Map.groupBy(forgotten, ({ name }) => name)
  return world.record.applications.flatMap((application) => {
    const { orgId, idempotencyKey } = application
    const name = `${orgId} ${sha256(idempotencyKey ?? '')}`
    const problem = wrongRepeat(history, application, byKey.get(name) ?? [])
    return problem === undefined ? [] : [problem]
  })
}

function wrongRepeat(
  { jobs, world: { record, settings } }: History,
  { answer, askedAt, idempotencyKey }: Application,
  forgotten: readonly Forgotten[],
): string | undefined {
  if (answer === undefined) return undefined
  const { maxSkewMs } = settings
  const isFresh = ({ removal }: Forgotten): boolean => askedAt - removal.recordedAt < DAY_MS + maxSkewMs
  if ('error' in answer) {
    const isRight = forgotten.some((one) => one.removal.recordedAt <= answer.at && isFresh(one))
    return answer.error === 'not_found' && !isRight
      ? `the key ${idempotencyKey} stands for nothing, it is said`
      : undefined
  }
  const removedAt = record.removed.get(streams.job(answer.jobId)) ?? Number.POSITIVE_INFINITY
  if (askedAt > removedAt) return `the key ${idempotencyKey} was answered with ${answer.jobId}, which was removed`
  // If the key stood for a forgotten job, it begins no other job for a day, unless that job was older than its key.
  const requestedAtOf = (jobId: string): number => requestOf(jobs.get(jobId) ?? [])?.recordedAt ?? 0
  const requestedAt = requestedAtOf(answer.jobId)
  const stood = forgotten.some(
    ({ jobId, removal }) =>
      jobId !== answer.jobId &&
      removal.recordedAt < requestedAt &&
      requestedAt - removal.recordedAt < DAY_MS - maxSkewMs &&
      requestedAt - requestedAtOf(jobId) < DAY_MS - maxSkewMs &&
      requestedAt > (record.removed.get(streams.job(jobId)) ?? 0),
  )
  return stood ? `the key ${idempotencyKey} began ${answer.jobId} after its job was forgotten` : undefined
}

/** The kinds of removal that a run has, by name. */
export function removalsOf(events: readonly StoredEvent[], record: History['world']['record']): Map<Removal, number> {
  const decisions = ofType(events, 'StreamsRemoved')
  const named = (reason: string, prefix: string): number =>
    decisions
      .filter(({ data }) => data.reason === reason)
      .flatMap(({ data }) => data.streams)
      .filter((stream) => stream.startsWith(prefix)).length
  const refused = record.applications.filter(
    ({ answer }) => answer && 'error' in answer && answer.error === 'not_found',
  )
  const counts: Record<Removal, number> = {
    'job forgotten': named('forgotten', 'job-'),
    'organization forgotten': named('forgotten', 'credits-'),
    'repeat after a forgotten job': refused.length,
    'job older than the retention': named('retention', 'job-'),
    'ledger truncated': record.truncated.size,
    'old removal removed': [...record.removed.keys()].filter((stream) => stream.startsWith('removal-')).length,
  }
  return new Map(Object.entries(counts).filter(([, count]) => count > 0)) as Map<Removal, number>
}

export const removalKinds = [
  'job forgotten',
  'organization forgotten',
  'repeat after a forgotten job',
  'job older than the retention',
  'ledger truncated',
  'old removal removed',
] as const
export type Removal = (typeof removalKinds)[number]
