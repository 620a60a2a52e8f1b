import type { Lane } from '#packages/domain/job/events.ts'
import type { PlatformMinutes } from '#packages/platforms/last-hour.ts'

/** How long jobs of one lane wait. Instants are milliseconds since 1970; the reader computes ages. */
export type LaneState = {
  /** The time since which the longest-waiting organization waits for its turn. Null: none waits. */
  oldestTurn: number | null
  /**
   * Organizations with a due, unclaimed step, and the time since which their oldest one is due. At most 500, the oldest
   * first.
   */
  waiting: { orgId: string; since: number }[]
}

/** How long an organization's jobs wait for the pace of a platform: until the latest of their times. */
export type PaceWait = { platform: string; orgId: string; until: number }

/** The place at which an orchestrator resumes after a restart. */
export type Progress = {
  /** It reads the feed from this position. */
  checkpoint: number
  /** Open jobs that began before the checkpoint. The checkpoint does not wait for their end. At most 500. */
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
  /** How jobs have ended in the last hour, counted from the events up to `countedTo`. */
  platforms: PlatformMinutes[]
  /** A position of the feed. */
  countedTo: number
}

/** The id of the note. */
export const ORCHESTRATOR_NOTE = 'orchestrator'

/** If the note is older than this, no orchestrator is at work, and admission control ignores the note. Milliseconds. */
export const NOTE_VALID_MS = 10_000
