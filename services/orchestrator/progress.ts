import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { type Shard, shardOf } from '#packages/ports/shards.ts'
import type { Views } from '#packages/ports/views.ts'
import { type ShardNote, type ShardProgress, shardNoteId } from '#packages/views/shard-note.ts'
import { applyJobEvent, type TrackedJob, trackedFrom } from './tracked-job.ts'

/** The note of releases before shards. It stays as they have left it, and serves shards without a note of their own. */
export const NOTE_BEFORE_SHARDS = 'orchestrator'

const fromTheBeginning: ShardProgress = { checkpoint: 0, noted: [] }

/** Where the owner of these shards goes on: at the smallest of their checkpoints. */
export async function loadProgress(views: Views, shards: ReadonlySet<Shard>): Promise<ShardProgress> {
  const ids = [...shards].map(shardNoteId)
  const notes = await views.getNotes<ShardProgress>([NOTE_BEFORE_SHARDS, ...ids])
  const before = notes.get(NOTE_BEFORE_SHARDS) ?? fromTheBeginning
  const all = Array.from(shards, (shard) => notes.get(shardNoteId(shard)) ?? ofShard(before, shard))
  return { checkpoint: Math.min(...all.map(({ checkpoint }) => checkpoint)), noted: all.flatMap(({ noted }) => noted) }
}

const ofShard = ({ checkpoint, noted }: ShardProgress, shard: Shard): ShardProgress => ({
  checkpoint,
  noted: noted.filter(({ orgId }) => shardOf(orgId) === shard),
})

/** The noted jobs that are still open, read from the ledger and from their own streams. */
export async function loadNotedJobs(store: EventStore, noted: ShardNote['noted']): Promise<TrackedJob[]> {
  const loaded = await Promise.all(noted.map(({ jobId, orgId }) => loadOpenJob(store, jobId, orgId)))
  return loaded.filter((tracked) => tracked !== undefined)
}

async function loadOpenJob(store: EventStore, jobId: string, orgId: string): Promise<TrackedJob | undefined> {
  const debit = await findOpenDebit(store, jobId, orgId)
  if (debit === undefined) return undefined
  const tracked: TrackedJob = { ...trackedFrom(debit), noted: true }
  await readOn(store, tracked)
  return tracked
}

async function findOpenDebit(store: EventStore, jobId: string, orgId: string) {
  for await (const event of store.readBackwards(streams.credits(orgId))) {
    if (event.type === 'CreditsSettled' && event.data.jobId === jobId) return undefined
    if (event.type === 'CreditsDebited' && event.data.jobId === jobId) return event
  }
  return undefined
}

/** Reads what the job's stream has beyond what is known of it. @returns whether that was anything */
export async function readOn(store: EventStore, tracked: TrackedJob): Promise<boolean> {
  const events = await store.read(streams.job(tracked.jobId), { from: tracked.revision + 1 })
  for (const event of events) applyJobEvent(tracked, event)
  return events.length > 0
}
