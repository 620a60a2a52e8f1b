import type { ReadFrom } from '#packages/domain/job/events.ts'
import { mayAskDirectHost } from '#packages/domain/job/retry.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { Reading } from './reading.ts'

/** The reading of a job: all its steps use one exit address until the platform refuses it. */
export function readingOf({ jobId, job, events, deadlineAt, signal, onRead }: ReadingJob): Reading {
  const refused = events.filter(({ type, data }) => type === 'StepFailed' && data.code === 'platform_blocked')
  const sinceFetched = events.slice(events.findLastIndex(({ type }) => type === 'VideoFetched') + 1)
  const failures = sinceFetched.filter(
    ({ type, data }) => type === 'StepFailed' && data.code === 'upstream_error',
  ).length
  const captionsWithheld = refused.some(({ data }) => 'step' in data && data.step === 'caption')
  const exhausted = !mayAskDirectHost(events)
  return {
    owner: jobId,
    organization: job.orgId,
    refusals: refused.length,
    comesBackUntil: deadlineAt,
    failures,
    ...(captionsWithheld && { captionsWithheld }),
    ...(exhausted && { exhausted }),
    signal,
    onRead,
  }
}

type ReadingJob = {
  jobId: string
  job: { orgId: string }
  events: readonly DomainEvent[]
  /** Milliseconds since 1970. */
  deadlineAt: number
  signal: AbortSignal
  onRead(from: ReadFrom): void
}
