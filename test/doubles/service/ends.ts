import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Order } from './customer.ts'

/** How a job ended: `completed`, the code of its failure, or undefined if it has not ended. */
export function endOf(history: readonly StoredEvent[]): string | undefined {
  for (const { type, data } of history) {
    if (type === 'JobCompleted') return 'completed'
    if (type === 'JobFailed') return data.code
  }
  return undefined
}

/** A complaint about the end of one job, if there is any. */
function complaintAbout(jobId: string, history: readonly StoredEvent[], orders: readonly Order[], isKnown: boolean) {
  const [first] = history
  const end = endOf(history)
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
 * Compares every job in the events with the orders, also jobs with a lost answer. No job fails needlessly, and one
 * Idempotency-Key makes one job.
 * @param answered the jobs with an answered acceptance
 * @returns what is wrong
 */
export function wrongEnds(
  events: readonly StoredEvent[],
  orders: readonly Order[],
  answered: ReadonlySet<string>,
): string[] {
  const histories = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('job-')),
    ({ stream }) => stream.slice('job-'.length),
  )
  const complaints: string[] = []
  for (const jobId of answered) if (!histories.has(jobId)) complaints.push(`nothing was written of ${jobId}`)
  const jobOfKey = new Map<string, string>()
  for (const [jobId, history] of histories) {
    const complaint = complaintAbout(jobId, history, orders, answered.has(jobId))
    if (complaint !== undefined) complaints.push(complaint)
    const [first] = history
    if (first?.type !== 'JobRequested' || first.data.idempotencyKeyHash === null) continue
    const key = `${first.data.orgId}/${first.data.idempotencyKeyHash}`
    const other = jobOfKey.get(key)
    if (other !== undefined) complaints.push(`${jobId} and ${other} were made under one Idempotency-Key`)
    jobOfKey.set(key, jobId)
  }
  return complaints
}
