import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import {
  type Document,
  type GuardedWrite,
  type Views,
  ViewsLostError,
  ViewsReplacedError,
  ViewsUnreadableError,
} from './views.ts'
import { sampleCollections } from './views-samples.contract.ts'

/** Restores the copy: all of it, or one collection. */
export type PutBack = (collection?: string) => Promise<void>

/** One body of data for each test, with as many Views as it opens, and ways to lose the data behind their backs. */
export type LossFixture = AsyncDisposable & {
  open(): Promise<Views>
  /** Removes everything. */
  empty(): Promise<void>
  drop(collection: string): Promise<void>
  copy(): Promise<PutBack>
}

const all = sampleCollections
const key = (id: string, position: number, fields: Document = {}): GuardedWrite => {
  return { collection: 'keys', id, position, fields: { listedFor: 'o', ...fields } }
}
const job = (id: string, position: number): GuardedWrite => ({ collection: 'jobs', id, position, fields: {} })
const page = { where: { orgId: ['o'], kind: ['k'], listedAs: ['l'] }, by: 'requestedAt', limit: 1 }

/** Each way to lose views: what happens to the data that was copied before the last batch. */
const losses: Record<string, (fixture: LossFixture, putBack: PutBack) => Promise<void>> = {
  'were emptied': (fixture) => fixture.empty(),
  'were put back to an older copy': (_, putBack) => putBack(),
  'have lost a collection': (fixture) => fixture.drop('keys'),
  'have one collection of an older copy': (_, putBack) => putBack('keys'),
}

/** Checks the promises of Views where the stored views are not what was written. */
export function describeLoss(name: string, makeFixture: () => Promise<LossFixture>): void {
  describe(`${name} notices when the stored views are not what was written`, function () {
    this.timeout(60_000)
    let fixture: LossFixture
    let writer: Views
    let reader: Views
    let late: Views
    let putBack: PutBack
    const opened: Views[] = []
    const open = async (): Promise<Views> => {
      const views = await fixture.open()
      opened.push(views)
      return views
    }
    const assertUnreadable = async (views: Views): Promise<void> => {
      expect(await failureOf(views.get('keys', 'b'))).to.be.instanceOf(ViewsUnreadableError)
      expect(await failureOf(views.find('keys', 'listedFor', 'o'))).to.be.instanceOf(ViewsUnreadableError)
      expect(await failureOf(views.waitForChange('keys', 'b', 0, 0))).to.be.instanceOf(ViewsUnreadableError)
    }

    beforeEach(async () => {
      fixture = await makeFixture()
      writer = await open()
      reader = await open()
      await writer.begin(all)
      await writer.apply(all, [key('a', 1), job('j', 1)], 5)
      await writer.makeReadable()
      putBack = await fixture.copy()
      await writer.apply(all, [key('b', 6), job('j', 6)], 7)
      await writer.putNote('note', { n: 1 })
      expect(await reader.get('keys', 'b')).to.include({ position: 6 })
      expect(await reader.problem()).to.equal(undefined)
      late = await open()
      await late.begin(all)
    })
    afterEach(async () => {
      for (const views of opened.splice(0)) await views[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })

    it('finds no problem with views as they were written, also by another process that is ahead', async () => {
      const second = await open()
      await second.begin(all)
      await second.apply(all, [key('b', 8, { n: 8 })], 9)
      await writer.verify()
      await writer.apply(all, [key('b', 8, { n: 8 }), key('c', 8)], 8)
      await second.verify()
      expect(await reader.get('keys', 'b')).to.include({ n: 8 })
      expect(await reader.checkpoint('keys')).to.equal(9)
    })

    it('does not let anybody read views that were never begun, or have not reached the end of the feed', async () => {
      await fixture.empty()
      const views = await open()
      expect(await views.problem()).to.contain('made anew')
      expect(await views.checkpoint('keys')).to.equal(0)
      await writer.begin(all)
      await writer.apply(all, [key('a', 1)], 1)
      await assertUnreadable(views)
      expect(await failureOf(views.page('jobs', page))).to.be.instanceOf(ViewsUnreadableError)
      expect(await writer.getMany('keys', ['a']), 'readable for the projections').to.have.length(1)
    })

    for (const [how, happen] of Object.entries(losses)) {
      describe(`when they ${how}`, () => {
        beforeEach(() => happen(fixture, putBack))

        it('is noticed by the next write, which writes nothing', async () => {
          const error = await failureOf(writer.apply(all, [key('c', 8)], 8))
          expect(error).to.be.instanceOf(ViewsLostError)
          expect(await writer.getMany('keys', ['c']).catch(() => [])).to.deep.equal([])
        })

        it('is noticed by the next write without a checkpoint, which writes nothing', async () => {
          const error = await failureOf(writer.apply(all, [key('c', 8)]))
          expect(error).to.be.instanceOf(ViewsLostError)
          expect(await writer.getMany('keys', ['c']).catch(() => [])).to.deep.equal([])
        })

        it('is noticed at rest', async () => {
          expect(await failureOf(writer.verify())).to.be.instanceOf(ViewsLostError)
        })

        it('is never read by a process that has read newer documents', async () => {
          await assertUnreadable(reader)
          expect(await reader.problem()).to.contain('made anew')
        })

        it('is made anew from the beginning by its writer, and readable once that has reached the end', async () => {
          await failureOf(writer.verify())
          expect(await writer.begin(all)).to.equal(0)
          await assertUnreadable(reader)
          await writer.apply(all, [key('a', 1), key('b', 6), job('j', 6)], 7)
          expect(await reader.problem()).to.contain('made anew')
          await writer.makeReadable()
          await soon(async () => (await reader.problem()) === undefined)
          expect(await reader.get('keys', 'b')).to.include({ position: 6 })
          expect(await reader.find('keys', 'listedFor', 'o')).to.have.length(2)
          await writer.verify()
        })

        it('is not mixed with the writes of a process that has not noticed yet', async () => {
          await failureOf(writer.verify())
          await writer.begin(all)
          const error = await failureOf(late.apply(all, [key('late', 9)], 9))
          expect(error).to.be.instanceOf(ViewsReplacedError)
          expect(await writer.getMany('keys', ['late'])).to.deep.equal([])
          expect(await writer.checkpoint('keys')).to.equal(0)
        })
      })
    }

    it('shows what is written without a checkpoint, and goes on after a restart at the one before', async () => {
      await writer.apply(all, [key('b', 8, { n: 8 })])
      expect(await reader.get('keys', 'b')).to.include({ n: 8 })
      const again = await open()
      expect(await again.begin(all)).to.equal(7)
      await again.apply(all, [key('b', 8, { n: 'read again' })], 9)
      await writer.apply(all, [], 10)
      expect(await reader.get('keys', 'b')).to.include({ n: 8 })
      expect(await reader.checkpoint('keys')).to.equal(10)
      await again.verify()
    })

    it('notices that documents after the last checkpoint are lost', async () => {
      await writer.apply(all, [key('c', 8)])
      await putBack()
      await writer.apply(all, [job('j', 9)]).catch(() => undefined)
      expect(await failureOf(writer.verify())).to.be.instanceOf(ViewsLostError)
      expect(await writer.begin(all)).to.equal(0)
    })

    it('does not take removals for losses, also where nothing is left', async () => {
      const gone = (collection: string, id: string) => ({ collection, position: 8, removes: { id } })
      await writer.apply(all, [gone('keys', 'a'), gone('keys', 'b'), gone('jobs', 'j')], 8)
      await writer.verify()
      await late.verify()
      expect(await reader.get('keys', 'b')).to.equal(undefined)
      expect(await reader.find('keys', 'listedFor', 'o')).to.deep.equal([])
      expect(await reader.problem()).to.equal(undefined)
      expect(await (await open()).begin(all)).to.equal(8)
    })

    it('notices that removed documents are back with an older copy', async () => {
      const withAll = await fixture.copy()
      await writer.apply(all, [{ collection: 'keys', position: 8, removes: { id: 'b' } }], 8)
      expect(await reader.get('keys', 'b')).to.equal(undefined)
      await withAll('keys')
      await assertUnreadable(reader)
      expect(await failureOf(writer.verify())).to.be.instanceOf(ViewsLostError)
      expect(await (await open()).begin(all)).to.equal(0)
    })

    it('begins anew also after a restart of its writer; only a complete older copy goes on', async () => {
      for (const [lose, after] of [
        [() => putBack(), 5],
        [() => putBack('keys'), 0],
        [() => fixture.drop('jobs'), 0],
        [() => fixture.empty(), 0],
      ] as const) {
        await writer.begin(all)
        await writer.apply(all, [key('a', 1), key('b', 6), job('j', 6)], 7)
        await lose()
        const again = await open()
        expect(await again.begin(all)).to.equal(after)
        writer = again
      }
    })
  })
}

/** Another process sees a change within a second or so. */
async function soon(look: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 15_000; !(await look()); ) {
    if (Date.now() > end) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
