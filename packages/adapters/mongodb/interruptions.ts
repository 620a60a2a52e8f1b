import type { UpdateFilter } from 'mongodb'
import type { Shard } from '#packages/ports/shards.ts'
import type { Held } from './guarded-writes.ts'

/**
 * How often the writers of a collection were interrupted, as its mark has it: of any shard, and of each. Every batch moves
 * the mark first and names the first number, which asks nothing more of the database.
 */
export type Interruptions = { all: number; ofShards: Readonly<Record<string, number>> }

export const neverInterrupted: Interruptions = { all: 0, ofShards: {} }

/** The fields of a mark. One that nobody was interrupted by lacks them. */
const [all, ofShards] = ['interrupted', 'interruptedIn'] as const

export const interruptionsOf = (mark: Held): Interruptions => ({
  all: Number(mark[all] ?? 0),
  ofShards: (mark[ofShards] ?? {}) as Record<string, number>,
})

/** For a filter: the mark where nobody was interrupted since. */
export const sinceThen = (known: Interruptions) => ({ [all]: known.all === 0 ? null : known.all })

/** The update of a mark that interrupts. */
export const interruptionOf = (shards: ReadonlySet<Shard>): UpdateFilter<Held> => ({
  $inc: Object.fromEntries([[all, 1], ...Array.from(shards, (shard) => [`${ofShards}.${shard}`, 1])]),
})

export const areInterrupted = (shards: ReadonlySet<Shard>, known: Interruptions, now: Interruptions): boolean =>
  [...shards].some((shard) => known.ofShards[shard] !== now.ofShards[shard])
