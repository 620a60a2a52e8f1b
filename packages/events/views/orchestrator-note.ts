import type { Lane } from '#packages/domain/job/events.ts'
import type { PlatformMinutes } from '#packages/platforms/last-hour.ts'

/** How long jobs of one lane wait. Instants are milliseconds since 1970; the reader computes ages. */
export type LaneState = {
  /** Since when the organization that has waited longest waits for its turn; null: none waits. */
  oldestTurn: number | null
  /** Organizations with a due, unclaimed step, and since when the oldest one is due. At most 500, the oldest first. */
  waiting: { orgId: string; since: number }[]
}

/** The latest time until which an organization's jobs wait for the pace of a platform. */
export type PaceWait = { platform: string; orgId: string; until: number }

/** Where an orchestrator resumes after a restart. */
export type Progress = {
  /** It reads the feed from this position. */
  checkpoint: number
  /** Open jobs from before the checkpoint, which do not hold it back. At most 500. */
  noted: { jobId: string; orgId: string }[]
}

/**
 * The note from the owner of the orchestrators to the ingress and to later owners. It is never older than some seconds.
 */
export type OrchestratorNote = Progress & {
  writtenAt: number
  lanes: Record<Lane, LaneState>
  /** One for each organization and platform. At most 500, the latest first. */
  paceWaits: PaceWait[]
  /** How jobs have ended in the last hour, by the events up to `countedTo`. */
  platforms: PlatformMinutes[]
  /** A position of the feed. */
  countedTo: number
}

/** The id of the note. */
export const ORCHESTRATOR_NOTE = 'orchestrator'

/** If the note is older than this, no orchestrator is at work, and admission control ignores the note. Milliseconds. */
export const NOTE_VALID_MS = 10_000
