import { expect } from 'chai'
import type { Ownership } from './ownership.ts'

/** Processes of one group. */
export type OwnershipFixture = AsyncDisposable & { open(): Promise<Ownership> }

/** How long to wait for an owner, and for a standby to learn that it is not the owner, milliseconds. */
const HEARD_WITHIN_MS = 45_000

/**
 * How soon another becomes the owner after an orderly stop, milliseconds: two seconds, and what a busy machine adds. A
 * process that merely vanishes remains the owner for longer.
 */
const MOVED_WITHIN_MS = 6000

/** Takes part, and remembers what it heard about ownership. */
class Member {
  readonly heard: boolean[] = []
  readonly #end = new AbortController()
  readonly #ended: Promise<void>

  constructor(ownership: Ownership) {
    this.#ended = this.#follow(ownership)
  }

  get isOwner(): boolean {
    return this.heard.at(-1) ?? false
  }

  async #follow(ownership: Ownership): Promise<void> {
    for await (const isOwner of ownership.owned(this.#end.signal)) this.heard.push(isOwner)
  }

  async leave(): Promise<void> {
    this.#end.abort()
    await this.#ended
  }
}

/** Checks the promises of Ownership. */
export function describeOwnership(name: string, makeFixture: () => Promise<OwnershipFixture>): void {
  describe(`${name} keeps the promises of Ownership`, function () {
    this.timeout(180_000)
    let fixture: OwnershipFixture
    const members: Member[] = []
    const join = async (ownership?: Ownership): Promise<Member> => {
      const member = new Member(ownership ?? (await fixture.open()))
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

    async function until(isSo: () => boolean, ms = HEARD_WITHIN_MS): Promise<void> {
      const giveUpAt = Date.now() + ms
      while (!isSo()) {
        if (Date.now() > giveUpAt) expect.fail(`they heard ${JSON.stringify(members.map(({ heard }) => heard))}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }

    it('makes the only member the owner', async () => {
      const only = await join()
      await until(() => only.isOwner)
    })

    it('moves nothing when a standby joins or leaves', async () => {
      const owner = await join()
      await until(() => owner.isOwner)
      owner.heard.length = 0
      const standbys = [await join(), await join(), await join()]
      await until(() => standbys.every(({ heard }) => heard.length > 0))
      for (const standby of standbys.slice(1)) await standby.leave()
      const late = await join()
      await until(() => late.heard.length > 0)
      expect(owner.heard, 'of the owner').to.deep.equal([])
      expect([...standbys, late].some(({ isOwner }) => isOwner)).to.equal(false)
    })

    it('makes a remaining member the owner within two seconds when the owner leaves', async () => {
      const owner = await join()
      await until(() => owner.isOwner)
      const standbys = [await join(), await join()]
      await until(() => standbys.every(({ heard }) => heard.length > 0))
      await Promise.all([owner.leave(), until(() => standbys.some(({ isOwner }) => isOwner), MOVED_WITHIN_MS)])
      expect(standbys.filter(({ isOwner }) => isOwner)).to.have.length(1)
    })

    it('lets the same member come back', async () => {
      const ownership = await fixture.open()
      const first = await join(ownership)
      await until(() => first.isOwner)
      await first.leave()
      const again = await join(ownership)
      await until(() => again.isOwner)
    })
  })
}
