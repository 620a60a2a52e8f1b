import type { Lane } from '#packages/domain/job/events.ts'

/**
 * A note about one lane, from the orchestrator to the ingress, once a second. Instants are milliseconds since 1970;
 * ages are computed by the reader.
 */
export type LaneNote = {
  writtenAt: number
  /** Since when the organization that has waited longest waits for its turn; null when none waits. */
  oldestTurn: number | null
  /** Organizations whose own oldest due, unclaimed step is older than a third of the window. */
  lateOrganizations: string[]
}

export const laneNoteId = (lane: Lane): string => `lane-${lane}`

/** Admission control ignores notes older than this, milliseconds. */
export const LANE_NOTE_VALID_MS = 10_000
