import { ORCHESTRATOR_NOTE, type OrchestratorNote, type Progress } from '#packages/events/views/orchestrator-note.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { applyJobEvent, type TrackedJob, trackedFrom } from './tracked-job.ts'

type Begun = Progress & Pick<OrchestratorNote, 'platforms' | 'countedTo'>

/** The place at which an orchestrator resumes: the beginning if there is no note. */
export async function loadProgress(views: Views): Promise<Begun> {
  const notes = await views.getNotes<Begun>([ORCHESTRATOR_NOTE])
  const { checkpoint = 0, noted = [], platforms = [], countedTo = 0 } = notes.get(ORCHESTRATOR_NOTE) ?? {}
  return { checkpoint, noted, platforms, countedTo }
}

/** The noted jobs that are still open, read from the ledger and from their own streams. */
export async function loadNotedJobs(store: EventStore, noted: Progress['noted']): Promise<TrackedJob[]> {
  const loaded = await Promise.all(noted.map(({ jobId, orgId }) => loadOpenJob(store, jobId, orgId)))
  return loaded.filter((tracked) => tracked !== undefined)
}

async function loadOpenJob(store: EventStore, jobId: string, orgId: string): Promise<TrackedJob | undefined> {
  const debit = await findOpenDebit(store, jobId, orgId)
  if (debit === undefined) return undefined
  const tracked: TrackedJob = { ...trackedFrom(debit), isStuck: true }
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
