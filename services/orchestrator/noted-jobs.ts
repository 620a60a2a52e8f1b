import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { applyJobEvent, type TrackedJob, trackedFrom } from './tracked-job.ts'

const NOTE = 'orchestrator-noted-jobs'

type Noted = { jobs: { jobId: string; orgId: string }[] }

/**
 * Keeps the ids of jobs that no longer hold the checkpoint back, for as long as there are any. What another
 * orchestrator has noted stays, while it is open here as well.
 */
export async function saveNotedJobs(views: Views, jobs: Iterable<TrackedJob>): Promise<void> {
  const open = [...jobs]
  if (!open.some((tracked) => tracked.noted)) return
  const before = new Set((await notedBefore(views)).map(({ jobId }) => jobId))
  const noted = open.filter((tracked) => tracked.noted || before.has(tracked.jobId))
  await views.putNote(NOTE, { jobs: noted.map(({ jobId, orgId }) => ({ jobId, orgId })) } satisfies Noted)
}

const notedBefore = async (views: Views): Promise<Noted['jobs']> =>
  (await views.getNotes<Noted>([NOTE])).get(NOTE)?.jobs ?? []

/** The noted jobs that are still open, from their two streams. */
export async function loadNotedJobs({ views, store }: { views: Views; store: EventStore }): Promise<TrackedJob[]> {
  const noted = await notedBefore(views)
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
