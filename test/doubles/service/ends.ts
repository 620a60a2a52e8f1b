import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Order } from './customer.ts'

/** How a job ended: `completed`, the code of its failure, or undefined where it has not ended. */
export function endOf(story: readonly StoredEvent[]): string | undefined {
  for (const { type, data } of story) {
    if (type === 'JobCompleted') return 'completed'
    if (type === 'JobFailed') return data.code
  }
  return undefined
}

/** What is wrong with the end of one job. */
function complaintAbout(jobId: string, story: readonly StoredEvent[], orders: readonly Order[], isKnown: boolean) {
  const [first] = story
  const end = endOf(story)
  if (first?.type !== 'JobRequested')
    return isKnown || end !== 'not_accepted' ? `${jobId} was never requested and ended with ${end}` : undefined
  const { url, mode } = first.data
  const order = orders.find((one) => one.url === url && one.mode === mode)
  if (order === undefined) return `${jobId} ${mode ?? 'extraction'} ${url} was ordered by nobody`
  return end === order.end
    ? undefined
    : `${jobId} ${mode ?? 'extraction'} ${url} ended with ${end} instead of ${order.end}`
}

/**
 * Holds every job that was written against what was ordered, also those of which no customer was told because the
 * answer was lost: none fails needlessly, and one Idempotency-Key makes one job.
 * @param answered the jobs that customers were told of
 * @returns what is wrong
 */
export function wrongEnds(
  events: readonly StoredEvent[],
  orders: readonly Order[],
  answered: ReadonlySet<string>,
): string[] {
  const stories = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('job-')),
    ({ stream }) => stream.slice('job-'.length),
  )
  const complaints: string[] = []
  for (const jobId of answered) if (!stories.has(jobId)) complaints.push(`nothing was written of ${jobId}`)
  const jobOfKey = new Map<string, string>()
  for (const [jobId, story] of stories) {
    const complaint = complaintAbout(jobId, story, orders, answered.has(jobId))
    if (complaint !== undefined) complaints.push(complaint)
    const [first] = story
    if (first?.type !== 'JobRequested' || first.data.idempotencyKeyHash === null) continue
    const key = `${first.data.orgId}/${first.data.idempotencyKeyHash}`
    const other = jobOfKey.get(key)
    if (other !== undefined) complaints.push(`${jobId} and ${other} were made under one Idempotency-Key`)
    jobOfKey.set(key, jobId)
  }
  return complaints
}
