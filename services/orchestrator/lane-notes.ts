import { lanes } from '#packages/domain/job/events.ts'
import type { Views } from '#packages/ports/views.ts'
import { type LaneNote, laneNoteId } from '#packages/views/lane-note.ts'
import type { Backlog } from './backlog.ts'
import type { TrackedJob } from './tracked-job.ts'

/** Writes how long organizations have waited, by lane. Admission control refuses jobs by it that would time out. */
export async function writeLaneNotes(
  views: Views,
  jobs: Iterable<TrackedJob>,
  backlog: Backlog,
  now: number,
  lateAfterMs: number,
): Promise<void> {
  const late = { standard: new Set<string>(), priority: new Set<string>() }
  for (const { job, dueSince, orgId } of jobs) {
    if (job.status === 'open' && dueSince !== undefined && now - dueSince > lateAfterMs) late[job.lane].add(orgId)
  }
  for (const lane of lanes) {
    const note: LaneNote = { writtenAt: now, oldestTurn: backlog.oldestTurn(lane), lateOrganizations: [...late[lane]] }
    await views.putNote(laneNoteId(lane), note)
  }
}
