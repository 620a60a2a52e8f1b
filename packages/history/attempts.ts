import { RELEASED, resultTypes, type Step } from '#packages/domain/job/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { noteOf } from './event-note.ts'

/** How an attempt ended. */
export type AttemptEnd =
  | { type: 'result'; event: string; note: string }
  /** `final`: with it the job failed. */
  | { type: 'failed'; code: string; final: boolean; retryAfterSeconds: number }
  /** Given back because its worker stopped, or for some seconds, to keep the pace of a platform. */
  | { type: 'released'; retryAfterSeconds: number }
  /** Its worker was lost: its lease ran out, and another attempt took its place. */
  | { type: 'lost' }
  /** The job ended while it worked. */
  | { type: 'cut' }
  | { type: 'at-work' }

/** One start of a step. Instants are milliseconds since 1970. */
export type Attempt = {
  step: Step
  attempt: number
  startedAt: number
  /** When its lease ends or ended, extensions included. */
  leaseEndsAt: number
  /** When its end was recorded; for an attempt at work the instant of asking. */
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
    } else if (event.type === 'LeaseExtended' && open !== undefined)
      open.leaseEndsAt = event.recordedAt + event.data.leaseSeconds * 1000
    else if (open !== undefined) {
      const end = endBy(event, open)
      if (end !== undefined) close(event, end)
    }
  }
  return attempts
}

function begun({ data, recordedAt }: StoredEvent & { type: 'StepStarted' }, now: number): Attempt {
  const { step, attempt, leaseSeconds } = data
  const leaseEndsAt = recordedAt + leaseSeconds * 1000
  return { step, attempt, startedAt: recordedAt, leaseEndsAt, endedAt: now, end: { type: 'at-work' } }
}

/** How an event ends the attempt at work; undefined where it does not. */
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
  // The owner or the orchestrator ended the job; any other end is that of the worker, which holds its lease.
  const gaveUp = code === 'internal_error' && event.recordedAt >= leaseEndsAt
  if (code === 'cancelled' || code === 'timeout' || gaveUp) return { type: 'cut' }
  return { type: 'failed', code, final: true, retryAfterSeconds: 0 }
}

/** How a job spent its time, milliseconds. */
export type TimeSpent = { worked: number; waitedForRetry: number; waitedForWorker: number }

/** @param until when the job ended, or the instant of asking, milliseconds since 1970 */
export function timeSpent(attempts: readonly Attempt[], from: number, until: number): TimeSpent {
  const spent: TimeSpent = { worked: 0, waitedForRetry: 0, waitedForWorker: 0 }
  let [waitedFrom, dueAt] = [from, from]
  const wait = (to: number): void => {
    const retry = Math.max(0, Math.min(dueAt, to) - waitedFrom)
    spent.waitedForRetry += retry
    spent.waitedForWorker += Math.max(0, to - waitedFrom - retry)
  }
  for (const { startedAt, endedAt, end } of attempts) {
    wait(startedAt)
    spent.worked += Math.max(0, endedAt - startedAt)
    waitedFrom = endedAt
    dueAt = endedAt + ('retryAfterSeconds' in end ? end.retryAfterSeconds * 1000 : 0)
  }
  wait(until)
  return spent
}
