import { expect } from 'chai'
import type { ShardOwnership } from './shard-ownership.ts'
import { allShards, type Shard } from './shards.ts'

/** Processes that share the shards. */
export type OwnershipFixture = AsyncDisposable & { open(): Promise<ShardOwnership> }

/** How long to wait for shards to move, milliseconds. */
const MOVED_WITHIN_MS = 20_000

/** Takes part, and remembers the newest set that it was given. */
class Member {
  shards: readonly Shard[] = []
  sets = 0
  readonly #end = new AbortController()
  readonly #ended: Promise<void>

  constructor(ownership: ShardOwnership) {
    this.#ended = this.#follow(ownership)
  }

  async #follow(ownership: ShardOwnership): Promise<void> {
    for await (const shards of ownership.owned(this.#end.signal)) {
      this.shards = [...shards].sort((one, other) => one - other)
      this.sets += 1
    }
  }

  async leave(): Promise<void> {
    this.#end.abort()
    await this.#ended
    this.shards = []
  }
}

/** Checks the promises of ShardOwnership. */
export function describeShardOwnership(name: string, makeFixture: () => Promise<OwnershipFixture>): void {
  describe(`${name} keeps the promises of ShardOwnership`, function () {
    this.timeout(120_000)
    let fixture: OwnershipFixture
    const members: Member[] = []
    const join = async (): Promise<Member> => {
      const member = new Member(await fixture.open())
      members.push(member)
      return member
    }
    beforeEach(async () => {
      fixture = await makeFixture()
    })
    afterEach(async () => {
      await Promise.all(members.splice(0).map((member) => member.leave()))
      await fixture[Symbol.asyncDispose]()
    })

    /** Waits until these members own every shard once, each its part. */
    async function shared(...among: Member[]): Promise<void> {
      const giveUpAt = Date.now() + MOVED_WITHIN_MS
      const part = allShards.size / among.length
      const areShared = (): boolean =>
        among.reduce((sum, { shards }) => sum + shards.length, 0) === allShards.size &&
        new Set(among.flatMap(({ shards }) => shards)).size === allShards.size &&
        among.every(({ shards }) => Math.abs(shards.length - part) < 1)
      while (!areShared()) {
        if (Date.now() > giveUpAt) expect.fail(`shared as ${JSON.stringify(among.map(({ shards }) => shards))}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }

    it('gives all shards to the only one, once', async () => {
      const only = await join()
      await shared(only)
      expect(only.sets).to.equal(1)
    })

    it('shares them equally among those who join, and among those who stay', async () => {
      const [first, second, third] = [await join(), await join(), await join()]
      await shared(first, second, third)
      await second.leave()
      await shared(first, third)
      const fourth = await join()
      await shared(first, third, fourth)
      await Promise.all([first.leave(), fourth.leave()])
      await shared(third)
    })

    it('lets the same one come back', async () => {
      const ownership = await fixture.open()
      const first = new Member(ownership)
      await shared(first)
      await first.leave()
      const again = new Member(ownership)
      members.push(again)
      await shared(again)
    })
  })
}
