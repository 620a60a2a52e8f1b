import type { ShardOwnership } from '#packages/ports/shard-ownership.ts'
import { allShards, type Shard } from '#packages/ports/shards.ts'
import { Newest } from '../newest.ts'

/** Shares the shards among those who take part in this process: the only one owns all. */
export class MemoryShardOwnership implements ShardOwnership {
  readonly #members: Newest<ReadonlySet<Shard>>[] = []

  async *owned(signal: AbortSignal): AsyncIterable<ReadonlySet<Shard>> {
    const member = new Newest<ReadonlySet<Shard>>()
    this.#members.push(member)
    this.#share()
    try {
      yield* member.follow(signal)
    } finally {
      this.#members.splice(this.#members.indexOf(member), 1)
      this.#share()
    }
  }

  #share(): void {
    const { length } = this.#members
    this.#members.forEach((member, index) => {
      member.set(new Set([...allShards].filter((shard) => shard % length === index)))
    })
  }
}
