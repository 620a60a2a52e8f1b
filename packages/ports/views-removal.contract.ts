import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ViewsFixture } from './views.contract.ts'
import type { Document, GuardedRemoval, GuardedWrite, Views } from './views.ts'
import { eachTest, to } from './views-samples.contract.ts'

/** How long to wait for what should happen soon, and for what should not happen, milliseconds. */
const patienceMs = 15_000
const shortMs = 60

/** Checks the promises of Views about removed documents. */
export function describeRemovals(name: string, makeFixture: () => Promise<ViewsFixture>): void {
  describe(`${name} removes documents`, function () {
    this.timeout(60_000)
    const { open } = eachTest<Views, ViewsFixture>(makeFixture)
    let views: Views
    let id: string
    const write = (position: number, fields: Document, of = id): GuardedWrite => {
      return { collection: 'jobs', id: of, position, fields }
    }
    const removal = (
      position: number,
      removes: GuardedRemoval['removes'] = { id },
      collection = 'jobs',
    ): GuardedRemoval => ({ collection, position, removes })
    const waits = (position: number, timeoutMs: number) => views.waitForChange('jobs', id, position, timeoutMs)

    beforeEach(async () => {
      views = await open()
      await views.begin()
      await views.makeReadable()
      id = randomUUID()
    })

    const listed = { orgId: 'removals', kind: 'k', listedAs: 'l', requestedAt: 1, result: 'a large text' }
    const page = { where: { orgId: ['removals'], kind: ['k'], listedAs: ['l'] }, by: 'requestedAt', limit: 100 }

    it('hides one document from every read, and no other', async () => {
      const other = randomUUID()
      const key = { collection: 'keys', id, position: 1, fields: { listedFor: id } }
      await views.apply([write(1, listed), write(1, listed, other), key], to(1))
      await views.apply([removal(2), removal(2, { id }, 'keys')], to(2))
      expect(await views.get('jobs', id)).to.equal(undefined)
      expect((await views.getMany('jobs', [id, other])).map((each) => each.id)).to.deep.equal([other])
      expect((await views.page('jobs', page)).map((each) => each.id)).to.deep.equal([other])
      expect(await views.find('keys', 'listedFor', id)).to.deep.equal([])
      expect(await views.get('jobs', other)).to.include({ position: 1, result: 'a large text' })
    })

    it('removes all with one prefix of their ids, and no other', async () => {
      const ids = [`${id}/2026-01-01`, `${id}/ü`, `${id}/`, `${id}0`, id, `0${id}/`]
      await views.apply(
        ids.map((each, index) => write(index + 1, { status: 'queued' }, each)),
        to(6),
      )
      await views.apply([removal(7, { idPrefix: `${id}/` })], to(7))
      const left = await views.getMany('jobs', ids)
      expect(left.map((each) => each.id).sort()).to.deep.equal([`${id}0`, id, `0${id}/`].sort())
    })

    it('keeps those at or after the position of the removal', async () => {
      await views.apply([write(5, { status: 'a' }), write(6, { status: 'b' }, `${id}/`)], to(6))
      await views.apply([removal(5), removal(5, { idPrefix: id })], to(7))
      expect(await views.getMany('jobs', [id, `${id}/`])).to.have.length(2)
    })

    it('in the same batch as changes before and after the removal', async () => {
      const [removed, again] = [randomUUID(), randomUUID()]
      const gone = [removal(2, { id: removed }), removal(2, { id: again })]
      const older = [write(1, { status: 'a' }, removed), write(1, { status: 'a', n: 1 }, again)]
      await views.apply([...gone, ...older, write(3, { status: 'b' }, again)], to(3))
      expect(await views.getMany('jobs', [removed, again])).to.deep.equal([{ id: again, position: 3, status: 'b' }])
    })

    it('permanently: no process restores it by repeating this batch or one before', async () => {
      const batch = [write(1, { status: 'a' }), write(2, { status: 'b' }, `${id}/`)]
      const removals = [removal(3), removal(3, { idPrefix: `${id}/` })]
      await views.apply(batch, to(2))
      await views.apply(removals, to(3))
      await views.apply(removals, to(3))
      const late = await open()
      await late.begin()
      for (const each of [views, late]) {
        await each.begin()
        await each.apply(batch, to(2))
        expect(await views.getMany('jobs', [id, `${id}/`])).to.deep.equal([])
      }
      await late.apply([write(4, { status: 'made again' })], to(4))
      expect(await views.get('jobs', id)).to.include({ position: 4 })
    })

    it('and ends the wait for a change of an existing one, also by another process', async () => {
      await views.apply([write(5, { status: 'completed' })], to(5))
      const other = await open()
      await other.begin()
      const waiting = [waits(5, patienceMs), other.waitForChange('jobs', id, 5, patienceMs)]
      await other.apply([removal(6)], to(6))
      expect(await Promise.all(waiting)).to.deep.equal([undefined, undefined])
      expect(await waits(5, patienceMs), 'at once').to.equal(undefined)
      const began = Date.now()
      expect(await waits(0, shortMs)).to.equal(undefined)
      expect(Date.now() - began, 'who never saw it waits for it').to.be.at.least(shortMs - 5)
    })
  })
}
