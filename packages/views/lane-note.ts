import type { Lane } from '#packages/domain/job/events.ts'

/**
 * What the orchestrator tells the ingress about one lane, once a second. Instants are milliseconds since 1970; ages
 * are computed by the reader.
 */
export type LaneNote = {
  writtenAt: number
  /** Since when the waiting organization longest without a turn has waited for one; null when none waits. */
  oldestTurn: number | null
  /** Organizations whose own oldest due, unclaimed step is older than a third of the window. */
  lateOrganizations: string[]
}

export const laneNoteId = (lane: Lane): string => `lane-${lane}`

/** A note older than this refuses nobody, milliseconds. */
export const LANE_NOTE_VALID_MS = 10_000
