import { expect } from 'chai'
import { type Document, type GuardedWrite, type RebuildableViews, ViewsReplacedError } from './views.ts'
import { eachTest, to } from './views-samples.contract.ts'

/** One set of data for each test, with as many RebuildableViews as it opens. */
export type RebuildFixture = AsyncDisposable & { open(): Promise<RebuildableViews> }

const key = (id: string, position: number, fields: Document): GuardedWrite => {
  return { collection: 'keys', id, position, fields }
}

/** How long to wait for changes by others, milliseconds. Generous, because the views may be on a server. */
const PATIENCE_MS = 15_000

/** Checks the promises of views that are rebuilt while they are read. */
export function describeRebuild(name: string, makeFixture: () => Promise<RebuildFixture>): void {
  describe(`${name} can be rebuilt beside the live views`, function () {
    this.timeout(60_000)
    const { open } = eachTest<RebuildableViews, RebuildFixture>(makeFixture)
    let live: RebuildableViews
    const namesOf = async (orgId: string): Promise<unknown[]> =>
      (await live.find('keys', 'listedFor', orgId)).map(({ name }) => name).sort()

    beforeEach(async () => {
      live = await open()
      await live.begin()
      await live.makeReadable()
      await live.apply(
        [key('a', 1, { listedFor: 'o', name: 'wrong' }), key('gone', 2, { listedFor: 'o', name: 'gone' })],
        to(5),
      )
      await live.putNote('a note', { n: 1 })
    })

    it('begins empty, and is not visible until it takes over', async () => {
      await using rebuild = await live.rebuild()
      expect(await rebuild.views.begin()).to.equal(0)
      await rebuild.views.apply([key('a', 1, { listedFor: 'o', name: 'right' })], to(4))
      expect(await rebuild.views.getMany('keys', ['a'])).to.have.length(1)
      expect(await rebuild.takeOver(), 'while it is behind').to.equal(false)
      expect(await namesOf('o')).to.deep.equal(['gone', 'wrong'])
      expect(await live.checkpoint()).to.equal(5)
    })

    it('does not take over before it has everything they have shown, even after their checkpoint', async () => {
      await live.apply([key('a', 8, { listedFor: 'o', name: 'newer' })], { position: 8 })
      await using rebuild = await live.rebuild()
      await rebuild.views.begin()
      await rebuild.views.apply([], to(7))
      expect(await rebuild.takeOver()).to.equal(false)
      expect(await namesOf('o')).to.deep.equal(['gone', 'newer'])
      await rebuild.views.apply([key('a', 8, { listedFor: 'o', name: 'newer' })], to(8))
      while (!(await rebuild.takeOver()));
      expect(await live.waitForApplied(8, PATIENCE_MS)).to.equal(true)
      expect(await namesOf('o')).to.deep.equal(['newer'])
    })

    it('takes over once it has passed their position, for every process that has them open', async () => {
      const other = await open()
      {
        await using rebuild = await other.rebuild()
        await rebuild.views.begin()
        await rebuild.views.apply([key('a', 1, { listedFor: 'o', name: 'right' })], to(6))
        while (!(await rebuild.takeOver()));
      }
      expect(await live.waitForApplied(6, PATIENCE_MS)).to.equal(true)
      expect(await namesOf('o')).to.deep.equal(['right'])
      expect(await live.get('keys', 'gone')).to.equal(undefined)
      await live.begin()
      expect(await live.getMany('keys', ['a', 'gone'])).to.have.length(1)
      expect(await live.getNotes(['a note'])).to.deep.equal(new Map([['a note', { n: 1 }]]))
    })

    it('refuses writes to the replaced views; their writer begins again at the new checkpoint', async () => {
      await using rebuild = await live.rebuild()
      await rebuild.views.begin()
      await rebuild.views.apply([key('a', 1, { listedFor: 'o', name: 'right' })], to(6))
      while (!(await rebuild.takeOver()));
      const stale = key('a', 7, { listedFor: 'o', name: 'made from a wrong one' })
      const error = await live.apply([stale], to(7)).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ViewsReplacedError)
      expect(await live.begin()).to.equal(6)
      expect(await live.get('keys', 'a')).to.include({ name: 'right', position: 1 })
      await live.apply([key('a', 7, { listedFor: 'o', name: 'newer' })], to(7))
      expect(await live.get('keys', 'a')).to.include({ name: 'newer' })
    })

    it('removes documents in both while it runs', async () => {
      const gone = { collection: 'keys', position: 6, removes: { id: 'a' } }
      await using rebuild = await live.rebuild()
      await rebuild.views.begin()
      await rebuild.views.apply([key('a', 1, { listedFor: 'o', name: 'right' })], to(4))
      await live.apply([gone], to(6))
      expect(await live.get('keys', 'a')).to.equal(undefined)
      await rebuild.views.apply([gone], to(6))
      while (!(await rebuild.takeOver()));
      expect(await live.waitForApplied(6, PATIENCE_MS)).to.equal(true)
      expect(await namesOf('o')).to.deep.equal([])
      expect(await live.begin()).to.equal(6)
    })

    it('can be repeated, even after an abandoned attempt', async () => {
      for (const round of [1, 2, 3]) {
        const given = await live.rebuild()
        await given.views.begin()
        await given.views.apply([key('half', 1, { listedFor: 'o', name: 'half' })], to(1))
        if (round < 3) await given[Symbol.asyncDispose]()
        await using rebuild = await live.rebuild()
        await rebuild.views.begin()
        await rebuild.views.apply([key('a', 1, { listedFor: 'o', name: `round ${round}` })], to(10 + round))
        while (!(await rebuild.takeOver()));
        expect(await live.waitForApplied(10 + round, PATIENCE_MS)).to.equal(true)
        expect(await namesOf('o')).to.deep.equal([`round ${round}`])
      }
    })

    it('is refused once another rebuild has come first', async () => {
      const slow = await live.rebuild()
      await slow.views.begin()
      await slow.views.apply([], to(6)).catch(() => undefined)
      {
        await using fast = await live.rebuild()
        await fast.views.begin()
        await fast.views.apply([key('a', 1, { listedFor: 'o', name: 'fast' })], to(6))
        while (!(await fast.takeOver()));
      }
      const error = await slow.takeOver().catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ViewsReplacedError)
      await slow[Symbol.asyncDispose]()
      expect(await live.waitForApplied(6, PATIENCE_MS)).to.equal(true)
      expect(await namesOf('o')).to.deep.equal(['fast'])
    })
  })
}
