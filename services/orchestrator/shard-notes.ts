import { type Shard, shardOf } from '#packages/ports/shards.ts'
import type { Views } from '#packages/ports/views.ts'
import { type LaneState, type ShardNote, shardNoteId } from '#packages/views/shard-note.ts'
import type { Backlog } from './backlog.ts'
import type { TrackedJob } from './tracked-job.ts'

/**
 * A note without news is written again after this time, milliseconds: readers see that the shard is owned, and its
 * checkpoint moves on.
 */
const WRITTEN_AGAIN_AFTER_MS = 3000

type Now = {
  jobs: Iterable<TrackedJob>
  backlog: Backlog
  /** The position up to which the feed has been read. */
  read: number
  now: number
}

/**
 * The notes about the shards of one owner: where to read from after a restart, and how long organizations have waited,
 * by which admission control refuses jobs that would time out. The checkpoint and the jobs that do not hold it back are
 * in one note, so views that lose it lose both: then the feed is read from its start, and the jobs are found there. An
 * older note does no harm.
 */
export class ShardNotes {
  readonly #views: Views
  readonly #shards: ReadonlySet<Shard>
  readonly #lateAfterMs: number
  /** The news in each note when it was last written. */
  readonly #written = new Map<Shard, { news: string; at: number }>()

  /** @param lateAfterMs organizations that have waited longer are named in the note */
  constructor(views: Views, { shards, lateAfterMs }: { shards: ReadonlySet<Shard>; lateAfterMs: number }) {
    this.#views = views
    this.#shards = shards
    this.#lateAfterMs = lateAfterMs
  }

  /** Writes the notes that have news, and those that were not written for some seconds. */
  async write(of: Now): Promise<void> {
    const lateBefore = of.now - this.#lateAfterMs
    const notes = [...this.#notes(of)].map(([shard, note]) => ({ shard, note, news: newsIn(note, lateBefore) }))
    const due = notes.filter(({ shard, news }) => {
      const written = this.#written.get(shard)
      return written?.news !== news || of.now - written.at >= WRITTEN_AGAIN_AFTER_MS
    })
    if (due.length === 0) return
    await this.#views.putNotes(new Map(due.map(({ shard, note }) => [shardNoteId(shard), note])))
    for (const { shard, news } of due) this.#written.set(shard, { news, at: of.now })
  }

  #notes({ jobs, backlog, read, now }: Now): Map<Shard, ShardNote> {
    const laneOf = (oldestTurn: number | null): LaneState => ({ oldestTurn, lateOrganizations: [] })
    const turns = { standard: backlog.oldestTurn('standard'), priority: backlog.oldestTurn('priority') }
    const notes = new Map(
      Array.from(this.#shards, (shard): [Shard, ShardNote] => {
        const state = { standard: laneOf(turns.standard), priority: laneOf(turns.priority) }
        return [shard, { writtenAt: now, checkpoint: read, noted: [], lanes: state }]
      }),
    )
    for (const tracked of jobs) {
      const note = notes.get(shardOf(tracked.orgId))
      if (note !== undefined) add(note, tracked, now - this.#lateAfterMs)
    }
    return notes
  }
}

function add(
  note: ShardNote,
  { jobId, orgId, job, dueSince, noted, openedAfter }: TrackedJob,
  lateBefore: number,
): void {
  // Just before the oldest debit that is still open. It is the position of an event, not the debit's position minus one:
  // EventStoreDB can begin only at the position of an event.
  if (noted) note.noted.push({ jobId, orgId })
  else if (openedAfter !== undefined) note.checkpoint = Math.min(note.checkpoint, openedAfter)
  if (job.status !== 'open' || dueSince === undefined || dueSince >= lateBefore) return
  const { lateOrganizations } = note.lanes[job.lane]
  if (!lateOrganizations.includes(orgId)) lateOrganizations.push(orgId)
}

/** Who is late, and the jobs that only this note knows. */
function newsIn({ noted, lanes }: ShardNote, lateBefore: number): string {
  const late = Object.values(lanes).map(({ oldestTurn, lateOrganizations }) => [
    oldestTurn !== null && oldestTurn < lateBefore,
    lateOrganizations,
  ])
  return JSON.stringify([noted, late])
}
