import { REUSED_WITHIN_MS } from '#packages/domain/job/reuse.ts'
import { foldJobDocument } from '#packages/events/views/jobs.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { type Check, endOf, type History, requestOf } from './history.ts'
import type { EventOf } from './raw-events.ts'

/**
 * Invariant 16: a job has the result of another one only if its request allows that, and then for free. The other must
 * be a completed job of the same organization with the same request, made its result itself, was at most a day old, and
 * was not deleted before the request.
 */
export const reusedResultsAreOwn: Check = (history) => {
  const problems: string[] = []
  for (const [jobId, events] of history.jobs) {
    const request = requestOf(events)
    if (request === undefined || request.data.reused === null) continue
    const wrong = wrongWith(history, request, events) ?? deletedBefore(history, jobId, request.data.reused)
    if (wrong !== undefined) problems.push(`${jobId} has the result of ${request.data.reused}: ${wrong}`)
  }
  return problems
}

function wrongWith(
  { jobs, debits, settlements, world }: History,
  { stream, data, position, recordedAt }: EventOf<'JobRequested'>,
  events: readonly StoredEvent[],
): string | undefined {
  const source = jobs.get(data.reused ?? '') ?? []
  const [made, end] = [requestOf(source), endOf(source)]
  if (!data.reuse) return 'nobody allowed it'
  if (made === undefined || end?.type !== 'JobCompleted' || end.position > position) return 'there was none'
  if (made.data.orgId !== data.orgId) return `it is that of ${made.data.orgId}, and was given to ${data.orgId}`
  if (made.data.requestHash !== data.requestHash) return 'that is of another request'
  if (made.data.reused !== null) return 'that was reused itself'
  if (recordedAt - made.recordedAt > REUSED_WITHIN_MS + world.settings.maxSkewMs) return 'that is too old'
  if (foldJobDocument(events)?.result !== foldJobDocument(source)?.result) return 'its own is another one'
  const jobId = stream.slice('job-'.length)
  const moved = [...(debits.get(jobId) ?? []).map(({ data }) => data.credits)]
  const charged = (settlements.get(jobId) ?? []).map(({ data }) => data.charged)
  return [...moved, ...charged].some((credits) => credits !== 0) ? 'it cost something' : undefined
}

/** Whether all callers who got this job had requested it after its source should have been gone. */
function deletedBefore({ removals, world }: History, jobId: string, source: string): string | undefined {
  const goneAt = removals.get(streams.job(source))?.recordedAt ?? Number.POSITIVE_INFINITY
  const asked = world.record.applications.flatMap(({ answer, askedAt }) =>
    answer !== undefined && 'jobId' in answer && answer.jobId === jobId ? [askedAt] : [],
  )
  const first = Math.min(...asked)
  return asked.length > 0 && first > goneAt + world.settings.maxSkewMs ? 'that was deleted before' : undefined
}
