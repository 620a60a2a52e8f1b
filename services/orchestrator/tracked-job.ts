import type { StepTask } from '#contracts/generated/messages.ts'
import type { DomainEvent } from '#packages/domain/event.ts'
import type { JobKind } from '#packages/domain/job/events.ts'
import { job } from '#packages/domain/job/job.ts'
import type { Job } from '#packages/domain/job/state.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

type Debited = StoredEvent<DomainEvent<'CreditsDebited'>>

/** A task that was published and not yet claimed. Instants are milliseconds since 1970. */
export type Outstanding = { task: StepTask; republishAt: number; republishAfterMs: number }

/** An open job, as the orchestrator keeps it: from its CreditsDebited until its CreditsSettled. */
export type TrackedJob = {
  jobId: string
  orgId: string
  kind: JobKind
  /** A position that the feed has given before its debit; undefined for a job loaded from its streams. */
  openedAfter: number | undefined
  debitedAt: number
  traceparent: string
  job: Job
  /** Revision of the job stream's last event; -1 before the first. */
  revision: number
  /** Since when its next step has been due and unclaimed. */
  dueSince: number | undefined
  outstanding: Outstanding | undefined
  /** True while an append of ours for this job is under way. */
  busy: boolean
  /** True once it has been open long past its deadline: it no longer holds the checkpoint back. */
  noted: boolean
}

export const trackedFrom = (debit: Debited, openedAfter?: number): TrackedJob => ({
  jobId: debit.data.jobId,
  orgId: debit.metadata.orgId,
  kind: debit.data.operation,
  openedAfter,
  debitedAt: debit.recordedAt,
  traceparent: debit.metadata.traceparent,
  job: job.initialState,
  revision: -1,
  dueSince: undefined,
  outstanding: undefined,
  busy: false,
  noted: false,
})

/** Takes in an event of the job's own stream. Any such event ends the task that was issued before it. */
export function applyJobEvent(tracked: TrackedJob, event: StoredEvent): void {
  if (event.revision <= tracked.revision) return
  tracked.job = fold(job, [event], tracked.job)
  tracked.revision = event.revision
  tracked.outstanding = undefined
  tracked.dueSince = undefined
}
