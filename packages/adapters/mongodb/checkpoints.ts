import { allShards, type Shard } from '#packages/ports/shards.ts'
import type { ShardPositions } from '../shard-positions.ts'

/** The checkpoint of one projection: a field for each shard, so that owners of others move theirs meanwhile. */
export type Checkpoint = { _id: string; marked: number } & Record<`at${number}`, number>

export const shardField = (shard: Shard): `at${number}` => `at${shard}`

export const positionsOf = (checkpoint: Omit<Checkpoint, '_id'>): ShardPositions =>
  Array.from(allShards, (shard) => checkpoint[shardField(shard)] ?? 0)

/** Those of a new checkpoint. */
export const firstFields: Omit<Checkpoint, '_id'> = {
  ...Object.fromEntries(Array.from(allShards, (shard) => [shardField(shard), 0])),
  marked: 0,
}
