import type { Lane } from '#packages/domain/job/events.ts'
import {
  type LaneState,
  ORCHESTRATOR_NOTE,
  type OrchestratorNote,
  type PaceWait,
} from '#packages/events/views/orchestrator-note.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Backlog } from './backlog.ts'
import { PlatformHour } from './platform-hour.ts'
import type { TrackedJob } from './tracked-job.ts'

/** A note without news is rewritten after this time, milliseconds, to show that there is an owner. */
const WRITTEN_AGAIN_AFTER_MS = 3000

/** The most jobs, organizations per lane and waits in a note, which keep it far below MongoDB's 16 MB. */
export const MAX_NAMED = 500

type Now = {
  jobs: Iterable<TrackedJob>
  backlog: Backlog
  /** The position up to which the feed has been read. */
  read: number
  now: number
}

/**
 * Writes the owner's note: the place at which to resume after a restart, how long organizations have waited, and until
 * when they wait for the pace of a platform. Admission control uses it to refuse jobs that would time out, and
 * estimates report it.
 *
 * Every job that is open when the note is written is either named in it or was opened after its checkpoint. Both facts
 * are in one document, so they agree in every stored note. If an earlier owner writes its note late, the next one only
 * reads from further back. If the note is lost, the feed is read from its start.
 */
export class NoteWriter {
  /** How the jobs of each platform have ended. The reader of the feed counts them. */
  readonly hour = new PlatformHour()
  readonly #views: Pick<Views, 'putNote'>
  readonly #lateAfterMs: number
  /** The news of the last written note. */
  #written: { news: string; at: number } | undefined

  /** @param lateAfterMs a longer wait, past or future, is news and is written at once */
  constructor(views: Pick<Views, 'putNote'>, { lateAfterMs }: { lateAfterMs: number }) {
    this.#views = views
    this.#lateAfterMs = lateAfterMs
  }

  /** Writes the note if it has news, or was not written for some seconds. */
  async write({ jobs, backlog, read, now }: Now): Promise<void> {
    const all = [...jobs]
    const stateOf = (lane: Lane) => ({ oldestTurn: backlog.oldestTurn(lane), waiting: waitingIn(lane, all) })
    const lanes = { priority: stateOf('priority'), standard: stateOf('standard'), bulk: stateOf('bulk') }
    const counted = { platforms: this.hour.parts(now), countedTo: read }
    const paceWaits = paceWaitsOf(all, now)
    const note: OrchestratorNote = { writtenAt: now, lanes, paceWaits, ...counted, ...progressOf(all, read) }
    const news = newsIn(note, this.#lateAfterMs)
    if (this.#written?.news === news && now - this.#written.at < WRITTEN_AGAIN_AFTER_MS) return
    await this.#views.putNote(ORCHESTRATOR_NOTE, note)
    this.#written = { news, at: now }
  }
}

/**
 * The place at which to resume, and the oldest stuck jobs, which do not hold the checkpoint back. Jobs loaded from a
 * note have no known position, so they come first. A note has room for all of them.
 */
function progressOf(jobs: readonly TrackedJob[], read: number): Pick<OrchestratorNote, 'checkpoint' | 'noted'> {
  const openedAfter = (tracked: TrackedJob): number => tracked.openedAfter ?? Number.NEGATIVE_INFINITY
  const stuck = jobs
    .filter(({ isStuck }) => isStuck)
    .sort((one, other) => compare(openedAfter(one), openedAfter(other)))
  const named = stuck.slice(0, MAX_NAMED)
  // The position before the oldest open debit. It must be the position of an event, not the debit's position minus one,
  // because EventStoreDB can begin only at an event.
  let checkpoint = read
  for (const tracked of [...jobs.filter(({ isStuck }) => !isStuck), ...stuck.slice(MAX_NAMED)])
    checkpoint = Math.min(checkpoint, tracked.openedAfter ?? read)
  return { checkpoint, noted: named.map(({ jobId, orgId }) => ({ jobId, orgId })) }
}

const compare = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1)

function waitingIn(lane: keyof OrchestratorNote['lanes'], jobs: readonly TrackedJob[]): LaneState['waiting'] {
  const oldest = new Map<string, number>()
  for (const { orgId, job, dueSince } of jobs)
    if (job.status === 'open' && job.lane === lane && dueSince !== undefined)
      oldest.set(orgId, Math.min(dueSince, oldest.get(orgId) ?? dueSince))
  const waiting = Array.from(oldest, ([orgId, since]) => ({ orgId, since }))
  return waiting.sort((one, other) => compare(one.since, other.since)).slice(0, MAX_NAMED)
}

function paceWaitsOf(jobs: readonly TrackedJob[], now: number): PaceWait[] {
  const latest = new Map<string, PaceWait>()
  for (const { orgId, request, pacedUntil } of jobs) {
    if (request === undefined || pacedUntil === undefined || pacedUntil <= now) continue
    const { platform } = request
    const key = `${platform} ${orgId}`
    latest.set(key, { platform, orgId, until: Math.max(pacedUntil, latest.get(key)?.until ?? 0) })
  }
  return [...latest.values()].sort((one, other) => compare(other.until, one.until)).slice(0, MAX_NAMED)
}

/** The organizations that are or will be late, and the noted jobs. */
function newsIn({ writtenAt, noted, lanes, paceWaits }: OrchestratorNote, lateAfterMs: number): string {
  const lateBefore = writtenAt - lateAfterMs
  const late = Object.values(lanes).map(({ oldestTurn, waiting }: LaneState) => [
    oldestTurn !== null && oldestTurn < lateBefore,
    waiting.filter(({ since }) => since < lateBefore).map(({ orgId }) => orgId),
  ])
  const willBeLate = paceWaits
    .filter(({ until }) => until > writtenAt + lateAfterMs)
    .map(({ platform, orgId }) => [platform, orgId])
  return JSON.stringify([noted, late, willBeLate])
}
