import type { Shard } from './shards.ts'

/**
 * Shares the shards among the processes that take part.
 *
 * It promises little, so that little can break: while any process takes part, each shard has an owner again before long,
 * also where another process has ended without a word, and the processes own about equally many. For a while a shard may
 * have two owners, or none.
 */
export interface ShardOwnership {
  /**
   * Takes part until the signal is aborted, which ends the iteration without an error. Gives the shards of this process as
   * soon as they are known, and again after each change; only the newest, where several changes came meanwhile.
   */
  owned(signal: AbortSignal): AsyncIterable<ReadonlySet<Shard>>
}
