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
import { eachTest, to } from './views-samples.contract.ts'

/** One set of data for each test, with as many Views as it opens, and ways to lose the data without their knowledge. */
export type LossFixture = AsyncDisposable & {
  open(): Promise<Views>
  /** Removes everything. */
  empty(): Promise<void>
  /** @returns a function that restores the copy */
  copy(): Promise<() => Promise<void>>
  /** Replaces the views by those of another event store, which are readable and newer, with a note called `theirs`. */
  exchange(): Promise<void>
}

const key = (id: string, position: number, fields: Document = {}): GuardedWrite => {
  return { collection: 'keys', id, position, fields: { listedFor: 'o', ...fields } }
}
const job = (id: string, position: number): GuardedWrite => ({ collection: 'jobs', id, position, fields: {} })
const page = { where: { orgId: ['o'], kind: ['k'], listedAs: ['l'] }, by: 'requestedAt', limit: 1 }

/** Ways to lose views, each applied to data that was copied before the last batch. */
const losses: Record<string, (fixture: LossFixture, putBack: () => Promise<void>) => Promise<void>> = {
  'were emptied': (fixture) => fixture.empty(),
  'were put back to an older copy': (_, putBack) => putBack(),
  'were exchanged for those of another event store': (fixture) => fixture.exchange(),
}

/** Checks the promises of Views if the stored views are not what was written. */
export function describeLoss(name: string, makeFixture: () => Promise<LossFixture>): void {
  describe(`${name} notices when the stored views are not what was written`, function () {
    this.timeout(60_000)
    const data = eachTest<Views, LossFixture>(makeFixture)
    const { open } = data
    let fixture: LossFixture
    let writer: Views
    let reader: Views
    let late: Views
    let putBack: () => Promise<void>
    /** Every copy has this document, so it needs no look at the state. */
    const isUnreadable = (views: Views): Promise<boolean> =>
      views.get('keys', 'a').then(
        () => false,
        (error: unknown) => error instanceof ViewsUnreadableError,
      )
    const assertUnreadable = async (views: Views): Promise<void> => {
      // Takes two seconds, and more on a busy machine.
      await within(20_000, () => isUnreadable(views))
      expect(await failureOf(views.get('keys', 'b'))).to.be.instanceOf(ViewsUnreadableError)
      expect(await failureOf(views.find('keys', 'listedFor', 'o'))).to.be.instanceOf(ViewsUnreadableError)
      expect(await failureOf(views.waitForChange('keys', 'b', 0, 0))).to.be.instanceOf(ViewsUnreadableError)
    }

    beforeEach(async () => {
      fixture = data.fixture
      writer = await open()
      reader = await open()
      await writer.begin()
      await writer.apply([key('a', 1), job('j', 1)], to(5))
      await writer.makeReadable()
      putBack = await fixture.copy()
      await writer.apply([key('b', 6), job('j', 6)], to(7))
      await writer.putNote('note', { n: 1 })
      expect(await reader.get('keys', 'b')).to.include({ position: 6 })
      expect(await reader.problem()).to.equal(undefined)
      late = await open()
      await late.begin()
    })

    it('finds no problem with views as they were written', async () => {
      await writer.verify()
      await writer.apply([key('b', 8, { n: 8 }), key('c', 8)], to(8))
      await writer.verify()
      expect(await reader.get('keys', 'b')).to.include({ n: 8 })
    })

    it('are not readable if they were never begun, or have not reached the end of the feed', async () => {
      await fixture.empty()
      const views = await open()
      expect(await views.problem()).to.contain('rebuilt')
      expect(await views.checkpoint()).to.equal(0)
      await writer.begin()
      await writer.apply([key('a', 1)], to(1))
      await assertUnreadable(views)
      expect(await failureOf(views.page('jobs', page))).to.be.instanceOf(ViewsUnreadableError)
      expect(await writer.getMany('keys', ['a']), 'readable for the projections').to.have.length(1)
    })

    for (const [how, happen] of Object.entries(losses)) {
      describe(`when they ${how}`, () => {
        beforeEach(() => happen(fixture, putBack))

        it('is noticed by the next write, which does not count', async () => {
          for (const state of [to(8), { position: 8 }])
            expect(await failureOf(writer.apply([key('c', 8)], state))).to.be.instanceOf(ViewsLostError)
          await writer.begin()
          expect(await writer.getMany('keys', ['c'])).to.deep.equal([])
        })

        it('is noticed without any write', async () => {
          expect(await failureOf(writer.verify())).to.be.instanceOf(ViewsLostError)
        })

        it('is noticed within 2 s by a process that only reads', async () => {
          await assertUnreadable(reader)
          expect(await reader.problem()).to.contain('rebuilt')
        })

        it('gives no reader an empty list in place of one that was not', async () => {
          const listed = await reader.find('keys', 'listedFor', 'o').catch((error: unknown) => error)
          if (Array.isArray(listed)) expect(listed).to.not.have.length(0)
          else expect(listed).to.be.instanceOf(ViewsUnreadableError)
        })

        it('makes the writer rebuild them from the beginning, readable at the end of the feed', async () => {
          await failureOf(writer.verify())
          expect(await writer.begin()).to.equal(0)
          await assertUnreadable(reader)
          await writer.apply([key('a', 1), key('b', 6), job('j', 6)], to(7))
          expect(await reader.problem()).to.contain('rebuilt')
          await writer.makeReadable()
          expect(await reader.problem()).to.equal(undefined)
          expect(await reader.get('keys', 'b')).to.include({ position: 6 })
          expect(await reader.find('keys', 'listedFor', 'o')).to.have.length(2)
          await writer.verify()
        })

        it('is not mixed with the writes of a process that has not noticed yet', async () => {
          await failureOf(writer.verify())
          await writer.begin()
          const error = await failureOf(late.apply([key('late', 9)], to(9)))
          expect(error).to.be.instanceOf(ViewsReplacedError)
          expect(await writer.getMany('keys', ['late'])).to.deep.equal([])
          expect(await writer.checkpoint()).to.equal(0)
        })
      })
    }

    it('keeps no note of another event store, which would give a wrong position to read from', async () => {
      await fixture.exchange()
      await failureOf(writer.verify())
      expect((await reader.getNotes(['theirs'])).size).to.equal(1)
      await writer.begin()
      expect((await reader.getNotes(['theirs'])).size).to.equal(0)
    })

    it('shows what is written without a checkpoint, and resumes after a restart at the one before', async () => {
      await writer.apply([key('b', 8, { n: 8 })], { position: 8 })
      expect(await reader.get('keys', 'b')).to.include({ n: 8 })
      const again = await open()
      expect(await again.begin()).to.equal(7)
      await again.apply([key('b', 8, { n: 'read again' })], to(9))
      expect(await reader.get('keys', 'b')).to.include({ n: 8 })
      expect(await reader.checkpoint()).to.equal(9)
      await again.verify()
    })

    it('notices that documents after the last checkpoint are lost', async () => {
      const copy = await fixture.copy()
      await writer.apply([key('c', 8)], { position: 8 })
      await copy()
      expect(await failureOf(writer.apply([job('j', 9)], { position: 9 }))).to.be.instanceOf(ViewsLostError)
      expect(await writer.begin()).to.equal(0)
    })

    it('does not mistake removals for losses, even if nothing is left', async () => {
      const gone = (collection: string, id: string) => ({ collection, position: 8, removes: { id } })
      await writer.apply([gone('keys', 'a'), gone('keys', 'b'), gone('jobs', 'j')], to(8))
      await writer.verify()
      expect(await reader.get('keys', 'b')).to.equal(undefined)
      expect(await reader.find('keys', 'listedFor', 'o')).to.deep.equal([])
      expect(await reader.problem()).to.equal(undefined)
      expect(await (await open()).begin()).to.equal(8)
    })

    it('notices a complete copy from before the views became readable', async () => {
      await fixture.empty()
      await writer.begin()
      await writer.apply([key('a', 1)], to(7))
      const unreadable = await fixture.copy()
      await writer.makeReadable()
      await unreadable()
      expect(await failureOf(writer.verify())).to.be.instanceOf(ViewsLostError)
    })

    it('begins again after a restart of its writer; an older copy resumes', async () => {
      for (const [lose, after] of [
        [() => putBack(), 5],
        [() => fixture.exchange(), 0],
        [() => fixture.empty(), 0],
      ] as const) {
        await writer.begin()
        await writer.apply([key('a', 1), key('b', 6), job('j', 6)], to(7))
        await lose()
        const again = await open()
        expect(await again.begin()).to.equal(after)
        writer = again
      }
    })
  })
}

/** @throws Error the condition does not hold within this many milliseconds */
async function within(ms: number, look: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + ms; !(await look()); ) {
    if (Date.now() > end) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
