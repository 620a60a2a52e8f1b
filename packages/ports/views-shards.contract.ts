import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { allShards, type Shard } from './shards.ts'
import { type GuardedWrite, type Views, ViewsLostError, ViewsReplacedError, ViewsUnreadableError } from './views.ts'
import type { LossFixture } from './views-loss.contract.ts'
import { sampleCollections } from './views-samples.contract.ts'

const all = sampleCollections

/** How long to wait for changes by others, and for what should not happen, milliseconds. */
const PATIENCE_MS = 15_000
const SHORT_MS = 60

const low = new Set([0, 1])
const high = allShards.difference(low)

const write = (id: string, position: number, shard: Shard): GuardedWrite => {
  return { collection: 'keys', id, position, fields: { listedFor: 'o' }, shard }
}

/** Checks the promises of Views whose shards have several owners. */
export function describeShards(name: string, makeFixture: () => Promise<LossFixture>): void {
  describe(`${name}, whose shards have several owners`, function () {
    this.timeout(60_000)
    let fixture: LossFixture
    let one: Views
    let other: Views
    const opened: Views[] = []
    const open = async (): Promise<Views> => {
      const views = await fixture.open()
      opened.push(views)
      return views
    }

    beforeEach(async () => {
      fixture = await makeFixture()
      one = await open()
      other = await open()
      expect(await one.begin(all, low)).to.equal(0)
      expect(await other.begin(all, high)).to.equal(0)
    })
    afterEach(async () => {
      for (const views of opened.splice(0)) await views[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })

    it('have a checkpoint for each shard, which only its owner moves: all together are at the least', async () => {
      await one.apply(all, [write('a', 9, 0)], 10)
      expect(await one.checkpoint('keys')).to.equal(0)
      const waiting = one.waitForCheckpoint('keys', 7, PATIENCE_MS)
      await other.apply(all, [write('b', 6, 2)], 7)
      expect(await waiting).to.equal(true)
      expect(await other.checkpoint('keys')).to.equal(7)
      expect(await one.waitForCheckpoint('keys', 8, SHORT_MS)).to.equal(false)
      const later = await open()
      expect(await later.begin(all, low)).to.equal(10)
      expect(await later.begin(all, new Set([1, 2]))).to.equal(7)
      expect(await later.begin(all)).to.equal(7)
      expect(await later.getMany('keys', ['a', 'b'])).to.have.length(2)
    })

    it('can be read once every shard has reached the end', async () => {
      await one.apply(all, [write('a', 1, 0)], 1)
      await one.makeReadable()
      expect(await one.problem()).to.contain('made anew')
      expect(await failureOf(one.get('keys', 'a'))).to.be.instanceOf(ViewsUnreadableError)
      await other.begin(all, new Set([...high].slice(1)))
      await other.makeReadable()
      expect(await one.problem()).to.contain('made anew')
      const last = await open()
      await last.begin(all, high)
      await last.makeReadable()
      expect(await last.get('keys', 'a')).to.include({ position: 1 })
      expect(await (await open()).get('keys', 'a')).to.include({ position: 1 })
    })

    it('go on where shards change their owner, however far each is', async () => {
      await one.apply(all, [write('a', 50, 0)], 50)
      await other.apply(all, [write('b', 10, 2)], 10)
      expect(await one.begin(all, new Set([0, 2]))).to.equal(10)
      await one.verify()
      await one.apply(all, [write('b', 20, 2), write('a', 20, 0)], 20)
      expect(await one.begin(all, new Set([0]))).to.equal(50)
      expect(await one.begin(all, new Set([2]))).to.equal(20)
      const found = await one.getMany<{ position: number }>('keys', ['a', 'b'])
      expect(Object.fromEntries(found.map(({ id, position }) => [id, position]))).to.deep.equal({ a: 50, b: 20 })
    })

    it('take no harm where a shard has two owners for a while', async () => {
      await other.begin(all, new Set([0]))
      await one.apply(all, [write('a', 5, 0)], 5)
      await other.apply(all, [write('a', 5, 0), write('a', 8, 0)], 9)
      await one.apply(all, [write('a', 7, 0)], 7)
      await one.verify()
      await other.verify()
      expect(await other.getMany('keys', ['a'])).to.deep.equal([{ id: 'a', position: 8, listedFor: 'o' }])
      expect(await (await open()).begin(all, new Set([0]))).to.equal(9)
    })

    it('bring nothing back that was removed, where an owner reads from further back for another shard', async () => {
      await other.apply(all, [write('b', 60, 2)], 60)
      await other.apply(all, [{ collection: 'keys', position: 90, removes: { id: 'b' } }], 90)
      await one.apply(all, [], 50)
      expect(await one.begin(all, new Set([0, 2]))).to.equal(50)
      await one.apply(all, [write('b', 60, 2), write('a', 60, 0)], 60)
      expect((await one.getMany('keys', ['a', 'b'])).map(({ id }) => id)).to.deep.equal(['a'])
    })

    it('are lost where a collection is put back to before a write of an owner who was behind', async () => {
      await one.apply(all, [write('a', 9, 0)], 9)
      const putBack = await fixture.copy()
      await other.apply(all, [write('b', 5, 2)], 5)
      await putBack('keys')
      for (const views of [one, other]) expect(await failureOf(views.verify())).to.be.instanceOf(ViewsLostError)
    })

    it('are lost where they are put back whole to before the moment when they could be read', async () => {
      await one.apply(all, [write('a', 9, 0)], 9)
      await other.makeReadable()
      const putBack = await fixture.copy()
      await one.makeReadable()
      await one.verify()
      await putBack()
      expect(await failureOf(one.verify())).to.be.instanceOf(ViewsLostError)
      await other.verify()
      expect(await one.begin(all, low)).to.equal(0)
    })

    it('are lost for all owners: each begins anew, and they are readable once all have reached the end', async () => {
      await one.apply(all, [write('a', 5, 0)], 5)
      await other.apply(all, [write('b', 5, 2)], 5)
      await one.makeReadable()
      await other.makeReadable()
      expect(await one.problem()).to.equal(undefined)
      await fixture.drop('keys')
      expect(await failureOf(one.verify())).to.be.instanceOf(ViewsLostError)
      expect(await one.begin(all, low)).to.equal(0)
      expect(await failureOf(other.apply(all, [write('b', 6, 2)], 6))).to.be.instanceOf(ViewsReplacedError)
      expect(await other.begin(all, high)).to.equal(0)
      await one.apply(all, [write('a', 5, 0)], 5)
      await one.makeReadable()
      expect(await other.problem()).to.contain('made anew')
      await other.apply(all, [write('b', 5, 2)], 6)
      await other.makeReadable()
      expect(await other.find('keys', 'listedFor', 'o')).to.have.length(2)
      expect(await other.checkpoint('keys')).to.equal(5)
    })
  })
}
