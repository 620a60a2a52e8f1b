import { type Lane, lanes, type Step, steps } from '#packages/domain/job/events.ts'
import { NOT_ACCEPTED_AFTER_MS } from '#packages/domain/job/job.ts'
import { nextStep } from '#packages/domain/job/next.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Observation } from '#packages/telemetry/telemetry.ts'
import type { TrackedJob } from './tracked-job.ts'

type Jobs = Iterable<TrackedJob>

const MINUTE_MS = 60_000

/** Age groups of open jobs. Each contains the jobs younger than its limit that are in no earlier group. */
const ages = [
  { age: '1m', belowMs: MINUTE_MS },
  { age: '5m', belowMs: 5 * MINUTE_MS },
  { age: '15m', belowMs: 15 * MINUTE_MS },
  { age: 'older', belowMs: Number.POSITIVE_INFINITY },
] as const

const hasEnded = ({ job }: TrackedJob): boolean => job.status === 'completed' || job.status === 'failed'

function openByAge(jobs: Jobs, now: number): Observation[] {
  const counts = ages.map(({ age }) => ({ value: 0, attributes: { [names.age]: age } }))
  for (const tracked of jobs) {
    const counted = counts[ages.findIndex(({ belowMs }) => now - tracked.debitedAt < belowMs)]
    if (counted !== undefined && !hasEnded(tracked)) counted.value += 1
  }
  return counts
}

function overdue(jobs: Jobs, now: number): Observation[] {
  let value = 0
  for (const { job } of jobs) if (job.status === 'open' && now > job.deadlineAt) value += 1
  return [{ value }]
}

function unsettled(jobs: Jobs): Observation[] {
  let value = 0
  for (const { credits } of jobs) value += credits
  return [{ value }]
}

/** The instant from which a debit should be settled, milliseconds since 1970. */
function toBeSettledFrom({ job, debitedAt }: TrackedJob): number {
  if (job.status === 'none') return debitedAt + NOT_ACCEPTED_AFTER_MS
  return job.status === 'open' ? job.deadlineAt : job.endedAt
}

function oldestUnsettled(jobs: Jobs, now: number): Observation[] {
  let oldest = now
  for (const tracked of jobs) oldest = Math.min(oldest, toBeSettledFrom(tracked))
  return [{ value: (now - oldest) / 1000 }]
}

type Queue = { step: Step; lane: Lane; depth: number; oldest: number }

/** The number of due and unclaimed steps of each step and lane, and the time since which the oldest is due. */
function queuesOf(jobs: Jobs, now: number): Queue[] {
  const queues = steps.flatMap((step) => lanes.map((lane): Queue => ({ step, lane, depth: 0, oldest: now })))
  for (const { job, dueSince } of jobs) {
    if (job.status !== 'open' || dueSince === undefined) continue
    const step = nextStep(job)
    const queue = queues.find((each) => each.step === step && each.lane === job.lane)
    if (queue === undefined) continue
    queue.depth += 1
    queue.oldest = Math.min(queue.oldest, dueSince)
  }
  return queues
}

const byQueue = (jobs: Jobs, now: number, of: (queue: Queue) => number): Observation[] =>
  queuesOf(jobs, now).map((queue) => ({
    value: of(queue),
    attributes: { [names.step]: queue.step, [names.lane]: queue.lane },
  }))

/** The gauges of open jobs. Each is computed from all of them when it is exported. */
export const jobGauges = [
  { gauge: metrics.jobsOpen, read: openByAge },
  { gauge: metrics.jobsOverdue, read: overdue },
  { gauge: metrics.creditsUnsettled, read: unsettled },
  { gauge: metrics.creditsUnsettledOldest, read: oldestUnsettled },
  { gauge: metrics.queueDepth, read: (jobs: Jobs, now: number) => byQueue(jobs, now, ({ depth }) => depth) },
  {
    gauge: metrics.queueOldest,
    read: (jobs: Jobs, now: number) => byQueue(jobs, now, ({ oldest }) => (now - oldest) / 1000),
  },
] as const
