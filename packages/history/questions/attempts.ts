import { RELEASED, resultTypes, type Step } from '#packages/domain/job/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { noteOf } from './event-note.ts'

/** How an attempt ended. */
export type AttemptEnd =
  | { type: 'result'; event: string; note: string }
  /** `final`: the job failed with it. */
  | { type: 'failed'; code: string; final: boolean; retryAfterSeconds: number }
  /** Released by its worker, because that stopped, or with a short wait to keep the pace of a platform. */
  | { type: 'released'; retryAfterSeconds: number }
  /** Its worker was lost: its lease ran out, and another attempt took its place. */
  | { type: 'lost' }
  /** The job ended while it was at work. */
  | { type: 'cut' }
  | { type: 'at-work' }

/** One start of a step. Instants are milliseconds since 1970. */
export type Attempt = {
  step: Step
  attempt: number
  startedAt: number
  /** When its worker last claimed or extended it: the last sign of a lost worker. */
  lastSignAt: number
  /** When its lease ends or ended, extensions included. */
  leaseEndsAt: number
  /** When its end was recorded; for an attempt at work, the time of the query. */
  endedAt: number
  end: AttemptEnd
}

const results: ReadonlySet<string> = new Set(resultTypes)

/** The attempts of a job, in the order in which they began. @param now milliseconds since 1970 */
export function attemptsOf(events: readonly StoredEvent[], now: number): Attempt[] {
  const attempts: Attempt[] = []
  const close = ({ recordedAt }: StoredEvent, end: AttemptEnd): void => {
    const open = attempts.at(-1)
    if (open?.end.type === 'at-work') Object.assign(open, { endedAt: recordedAt, end })
  }
  for (const event of events) {
    const open = attempts.at(-1)
    if (event.type === 'StepStarted') {
      close(event, { type: 'lost' })
      attempts.push(begun(event, now))
    } else if (event.type === 'LeaseExtended' && open !== undefined) {
      open.lastSignAt = event.recordedAt
      open.leaseEndsAt = event.recordedAt + event.data.leaseSeconds * 1000
    } else if (open !== undefined) {
      const end = endBy(event, open)
      if (end !== undefined) close(event, end)
    }
  }
  return attempts
}

function begun({ data, recordedAt }: StoredEvent & { type: 'StepStarted' }, now: number): Attempt {
  const { step, attempt, leaseSeconds } = data
  const leaseEndsAt = recordedAt + leaseSeconds * 1000
  return {
    step,
    attempt,
    startedAt: recordedAt,
    lastSignAt: recordedAt,
    leaseEndsAt,
    endedAt: now,
    end: { type: 'at-work' },
  }
}

/** How an event ends the attempt at work; undefined if it does not end it. */
function endBy(event: StoredEvent, { leaseEndsAt }: Attempt): AttemptEnd | undefined {
  if (results.has(event.type)) return { type: 'result', event: event.type, note: noteOf(event) }
  if (event.type === 'StepFailed') {
    const { code, retryAfterSeconds } = event.data
    return code === RELEASED
      ? { type: 'released', retryAfterSeconds }
      : { type: 'failed', code, final: false, retryAfterSeconds }
  }
  if (event.type !== 'JobFailed') return undefined
  const { code } = event.data
  // The owner or the orchestrator ended the job. Any other end comes from the worker that holds the lease.
  const gaveUp = code === 'internal_error' && event.recordedAt >= leaseEndsAt
  if (code === 'cancelled' || code === 'timeout' || gaveUp) return { type: 'cut' }
  return { type: 'failed', code, final: true, retryAfterSeconds: 0 }
}

/** True if its worker was killed or lost the store: its lease ran out, and the job continued without it, or ended. */
export const isLost = ({ end, endedAt, leaseEndsAt }: Attempt): boolean =>
  end.type === 'lost' || (end.type === 'cut' && endedAt >= leaseEndsAt)

/** When the job became free after an attempt, milliseconds since 1970. */
export const freeFrom = (attempt: Attempt): number =>
  isLost(attempt) ? Math.min(attempt.leaseEndsAt, attempt.endedAt) : attempt.endedAt

/** How long its worker was known to work on it, milliseconds. */
export const workedOn = (attempt: Attempt): number =>
  Math.max(0, (isLost(attempt) ? attempt.lastSignAt : attempt.endedAt) - attempt.startedAt)

/** How long the job waited for the lease of a lost worker, milliseconds. */
export const waitedForLease = (attempt: Attempt): number =>
  isLost(attempt) ? Math.max(0, freeFrom(attempt) - attempt.lastSignAt) : 0

/** How a job spent its time, milliseconds. */
export type TimeSpent = {
  worked: number
  waitedForRetry: number
  /** Workers of the step were running, but were busy with other jobs. */
  waitedForWorker: number
  /** No worker of the step was running. */
  nobodyRan: number
  /** Waiting for the lease of a lost worker to run out. */
  waitedForLease: number
}

/** How long no worker of a step was running within a time span, milliseconds. Without a step: no worker at all. */
export type NobodyRan = (span: { step: Step | undefined; from: number; to: number }) => number

/**
 * @param until when the job ended, or the time of the query, milliseconds since 1970
 * @param nobodyRan if missing, a worker was always running
 */
export function timeSpent(
  attempts: readonly Attempt[],
  from: number,
  until: number,
  nobodyRan: NobodyRan = () => 0,
): TimeSpent {
  const spent: TimeSpent = { worked: 0, waitedForRetry: 0, waitedForWorker: 0, nobodyRan: 0, waitedForLease: 0 }
  for (const { dueAt, to, step, paused } of waitsOf(attempts, from, until)) {
    const without = nobodyRan({ step, from: dueAt, to })
    spent.waitedForRetry += paused
    spent.nobodyRan += without
    spent.waitedForWorker += Math.max(0, to - dueAt - without)
  }
  for (const attempt of attempts) {
    spent.worked += workedOn(attempt)
    spent.waitedForLease += waitedForLease(attempt)
  }
  return spent
}

/** A time in which no worker had the job: first it was paused, then it was due. */
export type Wait = { step: Step | undefined; paused: number; dueAt: number; to: number }

/** The waits before each attempt, and before the end. `step`: undefined before the end. */
export function waitsOf(attempts: readonly Attempt[], from: number, until: number): Wait[] {
  let [waitedFrom, pausedUntil] = [from, from]
  const waitUntil = (to: number, step: Step | undefined): Wait => {
    const paused = Math.max(0, Math.min(pausedUntil, to) - waitedFrom)
    return { step, paused, dueAt: Math.min(waitedFrom + paused, to), to }
  }
  const waits = attempts.map((attempt) => {
    const wait = waitUntil(attempt.startedAt, attempt.step)
    waitedFrom = freeFrom(attempt)
    pausedUntil = waitedFrom + ('retryAfterSeconds' in attempt.end ? attempt.end.retryAfterSeconds * 1000 : 0)
    return wait
  })
  return [...waits, waitUntil(until, undefined)]
}
