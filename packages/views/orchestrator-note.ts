import type { Lane } from '#packages/domain/job/events.ts'
import type { PlatformMinutes } from '#packages/platforms/last-hour.ts'

/** How long jobs of one lane wait. Instants are milliseconds since 1970; ages are computed by the reader. */
export type LaneState = {
  /** Since when the organization that has waited longest waits for its turn; null: none does. */
  oldestTurn: number | null
  /** Organizations with a due, unclaimed step, and since when the oldest one is due. At most 500, the oldest first. */
  waiting: { orgId: string; since: number }[]
}

/** Until when the jobs of an organization wait for the pace of a platform: the latest of them. */
export type PaceWait = { platform: string; orgId: string; until: number }

/** Where an orchestrator goes on after a restart. */
export type Progress = {
  /** The feed is read from this position. */
  checkpoint: number
  /** Open jobs from before the checkpoint, which no longer hold it back. At most 500. */
  noted: { jobId: string; orgId: string }[]
}

/** The note from the owner of the orchestrators to the ingress and to later owners. It is never older than some seconds. */
export type OrchestratorNote = Progress & {
  writtenAt: number
  lanes: Record<Lane, LaneState>
  /** One for each organization and platform. At most 500, the latest first. */
  paceWaits: PaceWait[]
  /** How jobs have ended in the last hour, as told by the events up to `countedTo`. */
  platforms: PlatformMinutes[]
  /** A position of the feed. */
  countedTo: number
}

/** The id of the note. */
export const ORCHESTRATOR_NOTE = 'orchestrator'

/** Where the note is older, no orchestrator is at work, milliseconds. Admission control ignores the note. */
export const NOTE_VALID_MS = 10_000
