import type { EventData } from '#contracts/generated/events.ts'
import type { EventMetadata, StepTask } from '#contracts/generated/messages.ts'
import { type JobKind, RELEASED } from '#packages/domain/job/events.ts'
import { job } from '#packages/domain/job/job.ts'
import type { Job } from '#packages/domain/job/state.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { jobSpanOf } from '#packages/telemetry/traceparent.ts'

type Debited = StoredEvent<DomainEvent<'CreditsDebited'>>

/** A task that was published and not yet claimed. Instants are milliseconds since 1970. */
export type Outstanding = { task: StepTask; republishAt: number; republishAfterMs: number }

type Request = {
  requestedAt: number
  mode: EventData['JobRequested']['mode']
  platform: ReturnType<typeof platformOf>
}

/** An open job in the orchestrator's memory, from its CreditsDebited until its CreditsSettled. */
export type TrackedJob = {
  jobId: string
  orgId: string
  kind: JobKind
  /** The position of the event before its debit in the feed; undefined for a job loaded from its streams. */
  openedAfter: number | undefined
  debitedAt: number
  /** The debited credits. */
  credits: number
  /** The trace of its request; before that, of its debit. */
  traceparent: string
  /** The root span in the debit's trace, if a later request than the debit's requested the job. */
  debitRoot: string | undefined
  /** The request, once there is one. */
  request: Request | undefined
  job: Job
  /** Revision of the job stream's last event; -1 before the first. */
  revision: number
  /** The time since which its next step is due and unclaimed. */
  dueSince: number | undefined
  /** When the pace of its platform allows the step that a worker gave back. */
  pacedUntil: number | undefined
  outstanding: Outstanding | undefined
  /** True while an append of ours for this job is under way. */
  busy: boolean
  /** True once it has been open long past its deadline. It need not hold the checkpoint back any longer. */
  isStuck: boolean
}

export const trackedFrom = (debit: Debited, openedAfter?: number): TrackedJob => ({
  jobId: debit.data.jobId,
  orgId: debit.metadata.orgId,
  kind: debit.data.operation,
  openedAfter,
  debitedAt: debit.recordedAt,
  credits: debit.data.credits,
  traceparent: debit.metadata.traceparent,
  debitRoot: undefined,
  request: undefined,
  job: job.initialState,
  revision: -1,
  dueSince: undefined,
  pacedUntil: undefined,
  outstanding: undefined,
  busy: false,
  isStuck: false,
})

/** Applies an event of the job's own stream. A new one ends the task that was issued before it. */
export function applyJobEvent(tracked: TrackedJob, event: StoredEvent): void {
  if (event.revision <= tracked.revision) return
  tracked.job = fold(job, [event], tracked.job)
  tracked.revision = event.revision
  tracked.outstanding = undefined
  tracked.dueSince = undefined
  tracked.pacedUntil = pacedUntilOf(event)
  if (event.type !== 'JobRequested') return
  const { mode, url } = event.data
  tracked.request = { requestedAt: event.recordedAt, mode, platform: platformOf(url) }
  const before = rootSpanOf(tracked)
  tracked.traceparent = event.metadata.traceparent
  if (before !== rootSpanOf(tracked)) tracked.debitRoot = before
}

/** A worker that stops releases its step with no wait, so the returned time has passed already. */
const pacedUntilOf = ({ type, data, recordedAt }: StoredEvent): number | undefined =>
  type === 'StepFailed' && data.code === RELEASED ? recordedAt + data.retryAfterSeconds * 1000 : undefined

/** The job's root span, the parent of what the orchestrator decides. Computed each time to save memory. */
export const rootSpanOf = ({ jobId, traceparent }: TrackedJob): string => jobSpanOf(jobId, traceparent)

/** The metadata of a decision about a job. @param by the part of the service that decides */
export const metadataOf = (tracked: TrackedJob, by: string): EventMetadata => ({
  orgId: tracked.orgId,
  correlationId: tracked.jobId,
  causationId: `${by}/${tracked.jobId}/${tracked.revision}`,
  traceparent: rootSpanOf(tracked),
})
