import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { OpenJobs } from './open-jobs.ts'
import { applyJobEvent, type TrackedJob, trackedFrom } from './tracked-job.ts'

/** Exported for the tests. */
export const PROGRESS_NOTE = 'orchestrator'

/**
 * The checkpoint, and the open jobs that no longer hold it back. Both are in one note, so views that lose it lose both:
 * then the feed is read from its start, and the jobs are found there. An older note does no harm.
 */
export type Progress = { checkpoint: number; noted: { jobId: string; orgId: string }[] }

const fromTheBeginning: Progress = { checkpoint: 0, noted: [] }

/** Writes the note each time, also where it has not changed, because the views may have lost it. */
export async function saveProgress(views: Views, jobs: OpenJobs, lastRead: number): Promise<void> {
  const noted = [...jobs].filter((tracked) => tracked.noted).map(({ jobId, orgId }) => ({ jobId, orgId }))
  await views.putNote(PROGRESS_NOTE, { checkpoint: jobs.checkpoint(lastRead), noted } satisfies Progress)
}

export async function loadProgress(views: Views): Promise<Progress> {
  return (await views.getNotes<Progress>([PROGRESS_NOTE])).get(PROGRESS_NOTE) ?? fromTheBeginning
}

/** The noted jobs that are still open, read from the ledger and from their own streams. */
export async function loadNotedJobs(store: EventStore, noted: Progress['noted']): Promise<TrackedJob[]> {
  const loaded = await Promise.all(noted.map(({ jobId, orgId }) => loadOpenJob(store, jobId, orgId)))
  return loaded.filter((tracked) => tracked !== undefined)
}

async function loadOpenJob(store: EventStore, jobId: string, orgId: string): Promise<TrackedJob | undefined> {
  const debit = await findOpenDebit(store, jobId, orgId)
  if (debit === undefined) return undefined
  const tracked: TrackedJob = { ...trackedFrom(debit), noted: true }
  for (const event of await store.read(streams.job(jobId))) applyJobEvent(tracked, event)
  return tracked
}

async function findOpenDebit(store: EventStore, jobId: string, orgId: string) {
  for await (const event of store.readBackwards(streams.credits(orgId))) {
    if (event.type === 'CreditsSettled' && event.data.jobId === jobId) return undefined
    if (event.type === 'CreditsDebited' && event.data.jobId === jobId) return event
  }
  return undefined
}
