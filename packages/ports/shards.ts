/** The work of the orchestrators is split into this many shards, by organization. */
export const SHARDS = 64

/** From 0 to 63: the upper six bits of the first byte of an organization's id. */
export type Shard = number

export const allShards: ReadonlySet<Shard> = new Set(Array.from({ length: SHARDS }, (_, shard) => shard))

const BYTES = 256

/** The first byte of an id, as it is written. */
const firstByte = /^[\da-f]{2}/

/**
 * The shard of an organization, and of a job whose id was made by `withShardOf`. Ids are UUIDs: one that does not begin
 * with a byte counts to shard 0, whose events come only to an owner of all shards.
 */
export const shardOf = (id: string): Shard =>
  firstByte.test(id) ? Math.floor(Number.parseInt(id.slice(0, 2), 16) / (BYTES / SHARDS)) : 0

/** The shard of the id in the name of a stream. */
export const shardOfStream = (stream: string): Shard => shardOf(stream.slice(stream.indexOf('-') + 1))

export const areSameShards = (one: ReadonlySet<Shard>, other: ReadonlySet<Shard>): boolean =>
  one.size === other.size && one.isSubsetOf(other)

/** The id of a job: a UUID whose first byte is that of its organization's id, so that ledger and jobs are in one shard. */
export const withShardOf = (orgId: string, uuid: string): string =>
  firstByte.test(orgId) ? orgId.slice(0, 2) + uuid.slice(2) : uuid

/** What the ids of these shards begin with. */
export function bytesOf(shards: ReadonlySet<Shard>): string[] {
  const bytes = Array.from({ length: BYTES }, (_, byte) => byte.toString(16).padStart(2, '0'))
  return bytes.filter((byte) => shards.has(shardOf(byte)))
}

/** What the names of the ledgers and jobs of these shards begin with. */
export function prefixesOf(shards: ReadonlySet<Shard>): string[] {
  if (shards.size === SHARDS) return ['credits-', 'job-']
  return bytesOf(shards).flatMap((byte) => [`credits-${byte}`, `job-${byte}`])
}
