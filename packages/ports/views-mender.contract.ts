import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { allShards, type Shard } from './shards.ts'
import { type Document, type GuardedWrite, type Stored, type Views, ViewsReplacedError } from './views.ts'
import type { ViewsMender } from './views-mender.ts'
import { sampleCollections } from './views-samples.contract.ts'

/** Empty views, and how a mender of them is opened. */
export type ViewsMenderFixture = AsyncDisposable & {
  open(): Promise<Views>
  openMender(): ViewsMender
}

const all = sampleCollections
const low = new Set([0, 1])
const high = allShards.difference(low)

const listed = { orgId: 'org', kind: 'k', listedAs: 'l', requestedAt: 1 }
const page = { where: { orgId: ['org'], kind: ['k'], listedAs: ['l'] }, by: 'requestedAt', limit: 10 }

const write = (id: string, position: number, fields: Document, shard: Shard = 0): GuardedWrite => {
  return { collection: 'jobs', id, position, fields, shard }
}
const mended = (id: string, upTo: number, position: number, fields: Document) => {
  return { collection: 'jobs', id, upTo, made: { position, fields } }
}
const none = (id: string, upTo: number) => ({ collection: 'jobs', id, upTo, made: undefined })

/** Checks the promises of ViewsMender, and those of Views about documents that are mended. */
export function describeViewsMender(name: string, makeFixture: () => Promise<ViewsMenderFixture>): void {
  describe(`${name}, of which documents are mended`, function () {
    this.timeout(60_000)
    let one: Views
    let other: Views
    let mender: ViewsMender
    let opening: AsyncDisposableStack

    beforeEach(async () => {
      opening = new AsyncDisposableStack()
      const fixture = opening.use(await makeFixture())
      one = opening.use(await fixture.open())
      other = opening.use(await fixture.open())
      for (const [views, shards] of [
        [one, low],
        [other, high],
      ] as const) {
        await views.begin(all, shards)
        await views.apply(all, [], 1)
        await views.makeReadable()
      }
      await one.apply(all, [write('a', 5, { ...listed, result: 'wrong' }), write('extra', 6, listed)], 6)
      await other.apply(all, [write('b', 6, { ...listed, result: 'of others' }, 2)], 7)
      mender = opening.use(fixture.openMender())
    })
    afterEach(() => opening.disposeAsync())

    const ids = async (): Promise<string[]> => (await one.page('jobs', page)).map(({ id }) => id).sort()

    it('have what was put in the place of a wrong one, of a missing one, and of one too many', async () => {
      await mender.put([
        mended('a', 6, 5, { ...listed, result: 'right' }),
        mended('missing', 6, 3, { ...listed, result: 'also' }),
        none('extra', 6),
        none('nothing', 6),
      ])
      expect(await one.get('jobs', 'a')).to.deep.equal({ id: 'a', position: 5, ...listed, result: 'right' })
      expect(await other.get('jobs', 'missing')).to.include({ position: 3, result: 'also' })
      expect(await one.getMany('jobs', ['extra', 'nothing'])).to.deep.equal([])
      expect(await ids()).to.deep.equal(['a', 'b', 'missing'])
      expect(await one.get('jobs', 'b')).to.include({ position: 6, result: 'of others' })
    })

    it('may be put back to an older position, where all events up to the newer one are known', async () => {
      await mender.put([mended('a', 5, 4, { ...listed, result: 'older' })])
      expect(await one.get('jobs', 'a')).to.include({ position: 4, result: 'older' })
      await one.apply(all, [write('a', 7, { ...listed, result: 'newer' })], 7)
      expect(await one.get('jobs', 'a')).to.include({ position: 7, result: 'newer' })
    })

    it('are left where they have a later event', async () => {
      await mender.put([mended('a', 4, 4, { ...listed, result: 'older' }), none('extra', 5)])
      expect(await one.get('jobs', 'a')).to.include({ position: 5, result: 'wrong' })
      expect(await one.get('jobs', 'extra')).to.include({ position: 6 })
    })

    it('may be further than what was written: what is then repeated changes nothing', async () => {
      await mender.put([mended('a', 9, 9, { ...listed, result: 'right' })])
      await one.apply(all, [write('a', 8, { ...listed, result: 'made of the wrong one' })], 9)
      expect(await one.get('jobs', 'a')).to.include({ position: 9, result: 'right' })
      await one.verify()
    })

    it('keep their checkpoints, and are no loss', async () => {
      await mender.interrupt(low)
      await mender.put([mended('a', 6, 5, listed), none('extra', 6)])
      await other.verify()
      expect(await one.checkpoint('jobs')).to.equal(6)
      expect(await one.begin(all, low)).to.equal(6)
      expect(await other.begin(all, high)).to.equal(7)
      await one.verify()
      expect(await one.problem()).to.equal(undefined)
    })

    it('are not written by who has begun their shards before, until that begins again at its checkpoint', async () => {
      await mender.put([mended('a', 6, 5, { ...listed, result: 'right' })])
      await mender.interrupt(new Set([1]))
      const stale = write('a', 8, { ...listed, result: 'made of the wrong one' })
      for (const checkpoint of [undefined, 8]) {
        expect(await failureOf(one.apply(all, [stale], checkpoint))).to.be.instanceOf(ViewsReplacedError)
        expect(await one.get('jobs', 'a')).to.include({ position: 5, result: 'right' })
      }
      expect(await one.begin(all, low)).to.equal(6)
      await one.apply(all, [write('a', 8, { ...listed, result: 'newer' })], 8)
      expect(await one.get('jobs', 'a')).to.include({ result: 'newer' })
    })

    it('are written on by the owner of other shards, also once more', async () => {
      await mender.interrupt(low)
      await other.apply(all, [write('b', 8, { ...listed, result: 'newer' }, 2)], 8)
      await mender.interrupt(low)
      await other.apply(all, [write('b', 9, { ...listed, result: 'newest' }, 2)], 9)
      expect(await other.get('jobs', 'b')).to.include({ result: 'newest' })
      expect(await failureOf(one.apply(all, [write('a', 9, listed)], 9))).to.be.instanceOf(ViewsReplacedError)
      await mender.interrupt(high)
      expect(await failureOf(other.apply(all, [write('b', 10, listed, 2)], 10))).to.be.instanceOf(ViewsReplacedError)
    })

    it('are listed by the beginning of their ids', async () => {
      await other.apply(all, [write('a/1', 8, listed, 2), write('ä', 8, listed, 2)], 8)
      const found: Stored<Document>[] = []
      for await (const some of mender.documents('jobs', 'a')) found.push(...some)
      expect(found.map(({ id }) => id).sort()).to.deep.equal(['a', 'a/1'])
      expect((await mender.getMany('jobs', ['a', 'nobody'])).map(({ id }) => id)).to.deep.equal(['a'])
    })
  })
}
