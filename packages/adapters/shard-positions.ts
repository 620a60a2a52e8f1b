import { allShards, SHARDS, type Shard } from '#packages/ports/shards.ts'

/** Up to which position the events of each shard were applied. */
export type ShardPositions = readonly number[]

export const atStart: ShardPositions = Array.from(allShards, () => 0)

export function leastOf(positions: ShardPositions, shards: Iterable<Shard> = allShards): number {
  let least = Number.POSITIVE_INFINITY
  for (const shard of shards) least = Math.min(least, positions[shard] ?? 0)
  return least
}

export const greatestOf = (positions: ShardPositions): number => Math.max(...positions)

/** Those of these shards at this position, where they were not beyond it. */
export const movedTo = (positions: ShardPositions, shards: ReadonlySet<Shard>, to: number): ShardPositions =>
  positions.map((position, shard) => (shards.has(shard) ? Math.max(position, to) : position))

/** How often each shard was interrupted, once these are interrupted again. */
export const interruptedAgain = (counts: readonly number[], shards: ReadonlySet<Shard>): readonly number[] =>
  counts.map((count, shard) => (shards.has(shard) ? count + 1 : count))

/** Whether any of these shards is at another position. */
export const differIn = (shards: ReadonlySet<Shard>, one: ShardPositions, other: ShardPositions): boolean =>
  one !== other && [...shards].some((shard) => one[shard] !== other[shard])

/** As text: one number where all are at the same position. */
export const writtenAs = (positions: ShardPositions): string =>
  positions.every((position) => position === positions[0]) ? String(positions[0]) : positions.join(' ')

export const readAs = (text: string): ShardPositions =>
  text.includes(' ') ? text.split(' ').map(Number) : new Array<number>(SHARDS).fill(Number(text))
