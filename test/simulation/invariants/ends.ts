import { streams } from '#packages/ports/ids.ts'
import { ORCHESTRATORS } from '../faults/owner-group.ts'
import { hinderedMs } from '../record.ts'
import { type Check, endOf, type History, requestOf } from './history.ts'

/** How late an end may be beyond all faults that delayed the service, milliseconds. */
const SLACK_MS = 4000

/**
 * Invariant 1, in addition to what the history shows: every accepted job exists, and ends by its deadline plus a grace.
 */
export const everyJobEnds: Check = (history) => {
  const { jobs, world } = history
  const problems: string[] = []
  for (const { answer } of world.record.applications) {
    if (answer === undefined || !('jobId' in answer)) continue
    const job = jobs.get(answer.jobId) ?? []
    if (requestOf(job) === undefined) problems.push(`${answer.jobId} was accepted and has no JobRequested`)
  }
  for (const jobId of jobs.keys()) {
    const lateMs = lateBy(history, jobId)
    if (lateMs > 0) problems.push(`${jobId} ended ${lateMs} ms later than it may`)
  }
  return problems
}

/**
 * Invariant 12: a job is cancelled only if its owner requested it. If the owner got an answer, the job has ended by
 * then, one way or another.
 */
export const cancellationsHold: Check = ({ jobs, removals, world: { record } }) => {
  const problems: string[] = []
  const asked = Map.groupBy(
    record.cancellations.filter(({ own }) => own),
    ({ jobId }) => jobId,
  )
  for (const [jobId, job] of jobs) {
    const end = endOf(job)
    const isCancelled = end?.type === 'JobFailed' && end.data.code === 'cancelled'
    // Closing an organization cancels its jobs.
    const closings = record.closings.filter(({ orgId }) => orgId === end?.metadata.orgId)
    const earliest = Math.min(...[...(asked.get(jobId) ?? []), ...closings].map(({ askedAt }) => askedAt))
    if (isCancelled && end.recordedAt < earliest) problems.push(`${jobId} was cancelled by nobody`)
  }
  for (const { jobId, own, answer } of record.cancellations) {
    if (answer === undefined) continue
    const endedAt = endOf(jobs.get(jobId) ?? [])?.recordedAt ?? Number.POSITIVE_INFINITY
    const isRemoved = (removals.get(streams.job(jobId))?.recordedAt ?? Number.POSITIVE_INFINITY) <= answer.at
    if (answer.found && !own) problems.push(`a stranger cancelled ${jobId}`)
    if (!answer.found && own && !isRemoved) problems.push(`the owner of ${jobId} cannot cancel it`)
    if (answer.found && endedAt > answer.at) problems.push(`${jobId} went on after its owner was told that it ended`)
  }
  return problems
}

/** How late a job ended, milliseconds, less the error of the clocks and all that delayed the orchestrators. */
function lateBy({ jobs, world }: History, jobId: string): number {
  const job = jobs.get(jobId) ?? []
  const request = requestOf(job)
  const end = endOf(job)
  if (request === undefined || end === undefined) return 0
  const deadline = request.recordedAt + request.data.windowSeconds * 1000
  const held = hinderedMs(orchestratorsHeld(world), deadline - SLACK_MS, end.recordedAt)
  return end.recordedAt - deadline - world.settings.maxSkewMs - held - SLACK_MS
}

export const orchestratorsHeld = ({ record, settings }: History['world']) =>
  settings.mode === 'embedded'
    ? record.ofProcess('service')
    : ['orchestrator-1', 'orchestrator-2', 'orchestrator-3', ORCHESTRATORS].flatMap((name) => record.ofProcess(name))
