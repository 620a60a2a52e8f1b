import type { Lane } from '#packages/domain/job/events.ts'
import type { Shard } from '#packages/ports/shards.ts'

/** How long jobs of one lane wait. Instants are milliseconds since 1970; ages are computed by the reader. */
export type LaneState = {
  /** Since when the organization that has waited longest, of all of the shard's owner, waits for its turn; null: none does. */
  oldestTurn: number | null
  /** Organizations of the shard whose own oldest due, unclaimed step is older than a third of the window. */
  lateOrganizations: string[]
}

/** Where an owner of a shard goes on after a restart. */
export type ShardProgress = {
  /** The feed is read from this position. */
  checkpoint: number
  /** Open jobs from before the checkpoint, which no longer hold it back. */
  noted: { jobId: string; orgId: string }[]
}

/** A note about one shard, from its owner to the ingress and to later owners. It is never older than some seconds. */
export type ShardNote = ShardProgress & { writtenAt: number; lanes: Record<Lane, LaneState> }

export const shardNoteId = (shard: Shard): string => `shard-${shard}`

/** A shard whose note is older has no owner, milliseconds. Admission control ignores the note. */
export const SHARD_NOTE_VALID_MS = 10_000
