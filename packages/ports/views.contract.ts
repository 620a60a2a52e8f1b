import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { type GuardedWrite, type PageQuestion, type Views, ViewsLostError, ViewsReplacedError } from './views.ts'
import { eachTest, to } from './views-samples.contract.ts'

/** One set of data with as many Views as a test opens. A second one stands for a restart or another process. */
export type ViewsFixture = AsyncDisposable & { open(): Promise<Views> }

type Job = { status: string; n?: number | null }
type Key = { listedFor: string | null; name?: string }

/** How long to wait for what should happen soon, milliseconds. Generous, because the views may be on a server. */
const patienceMs = 15_000
/** How long to wait for what should not happen, milliseconds. */
const shortMs = 60

/** Checks the promises of Views. */
export function describeViews(name: string, makeFixture: () => Promise<ViewsFixture>): void {
  describe(`${name} keeps the promises of Views`, function () {
    this.timeout(60_000)
    const { open } = eachTest<Views, ViewsFixture>(makeFixture)
    let views: Views
    let id: string
    const write = (position: number, fields: Record<string, unknown>, of = id): GuardedWrite => {
      return { collection: 'jobs', id: of, position, fields }
    }
    const waits = (...args: [position: number, timeoutMs: number, signal?: AbortSignal]) =>
      views.waitForChange<Job>('jobs', id, ...args)

    beforeEach(async () => {
      views = await open()
      await views.begin()
      await views.makeReadable()
      id = randomUUID()
    })

    describe('apply', () => {
      it('creates a document with its id and position, and replaces the whole of it', async () => {
        await views.apply([write(5, { status: 'queued', n: null })], to(5))
        expect(await views.get<Job>('jobs', id)).to.deep.equal({ id, position: 5, status: 'queued', n: null })
        await views.apply([write(8, { status: 'completed', error: { a: [1, null, 'ü😀'] } })], to(9))
        const changed = { id, position: 8, status: 'completed', error: { a: [1, null, 'ü😀'] } }
        expect(await views.get<Job>('jobs', id)).to.deep.equal(changed)
      })

      it('returns the large field with every single document, and replaces it like any other field', async () => {
        const result = JSON.stringify({ text: 'ü😀"\u0000'.repeat(100_000) })
        await views.apply([write(1, { status: 'completed', result })], to(1))
        const whole = { id, position: 1, status: 'completed', result }
        expect(await views.get<Job>('jobs', id)).to.deep.equal(whole)
        expect(await views.getMany<Job>('jobs', [id])).to.deep.equal([whole])
        expect(await views.listMany<Job>('jobs', [id])).to.deep.equal([{ id, position: 1, status: 'completed' }])
        expect(await waits(0, patienceMs)).to.deep.equal(whole)
        await views.apply([write(2, { status: 'failed', result: null })], to(2))
        expect(await views.get<Job>('jobs', id)).to.deep.equal({ id, position: 2, status: 'failed', result: null })
        await views.apply([write(3, { status: 'failed' })], to(3))
        expect(await views.get<Job>('jobs', id)).to.deep.equal({ id, position: 3, status: 'failed' })
      })

      it('applies the writes to one document in the order given', async () => {
        const other = randomUUID()
        const batch = [
          write(1, { status: 'a', n: 1 }),
          write(1, { status: 'x' }, other),
          write(2, { status: 'b' }),
          write(3, { status: 'c', late: true }),
        ]
        await views.apply(batch, to(3))
        expect(await views.get<Job>('jobs', id)).to.deep.equal({ id, position: 3, status: 'c', late: true })
        expect(await views.get<Job>('jobs', other)).to.deep.equal({ id: other, position: 1, status: 'x' })
      })

      it('changes nothing when a batch is repeated, directly or after newer ones', async () => {
        const batch = [write(1, { status: 'a' }), write(2, { status: 'a', n: 2 })]
        await views.apply(batch, to(2))
        await views.apply(batch, to(2))
        await views.apply([write(3, { status: 'b' })], to(3))
        await views.apply(batch, to(2))
        expect(await views.get<Job>('jobs', id)).to.deep.equal({ id, position: 3, status: 'b' })
        expect(await views.checkpoint()).to.equal(3)
      })

      it('applies a batch of a thousand documents', async () => {
        const ids = Array.from({ length: 1000 }, () => randomUUID())
        await views.apply(
          ids.map((each, index) => write(index + 1, { status: 'queued', n: index }, each)),
          to(1000),
        )
        const found = await views.getMany<Job>('jobs', ids)
        expect(new Set(found.map((document) => document.n)).size).to.equal(1000)
      })

      it('shares no objects with writers and readers', async () => {
        const fields = { status: 'queued', list: [1] }
        await views.apply([write(1, fields)], to(1))
        fields.list.push(2)
        const first = await views.get<{ list: number[] }>('jobs', id)
        first?.list.push(3)
        expect((await views.get<{ list: number[] }>('jobs', id))?.list).to.deep.equal([1])
      })
    })

    describe('the state', () => {
      it('is 0 before the first batch, and never goes backwards', async () => {
        expect(await views.checkpoint()).to.equal(0)
        await views.apply([], to(12))
        await views.apply([], to(7))
        expect(await views.checkpoint()).to.equal(12)
      })

      it('keeps the checkpoint after a batch without one', async () => {
        await views.apply([], to(3))
        await views.apply([write(4, { status: 'queued' })], { position: 5 })
        expect(await views.checkpoint()).to.equal(3)
        expect(await views.waitForApplied(5, 0)).to.equal(true)
      })

      it('is there after a restart, with its writes', async () => {
        await views.apply([write(3, { status: 'queued' })], to(4))
        const again = await open()
        expect(await again.checkpoint()).to.equal(4)
        expect(await again.begin()).to.equal(4)
        expect(await again.get<Job>('jobs', id)).to.deep.equal({ id, position: 3, status: 'queued' })
      })

      it('can be waited for: true at the position or beyond it, false after the timeout', async () => {
        await views.apply([], to(5))
        expect(await views.waitForApplied(5, patienceMs)).to.equal(true)
        expect(await views.waitForApplied(4, 0)).to.equal(true)
        expect(await views.waitForApplied(6, shortMs)).to.equal(false)
        const waiting = views.waitForApplied(6, patienceMs)
        await views.apply([], { position: 9 })
        expect(await waiting).to.equal(true)
      })

      it('can be waited for while another process applies', async () => {
        const other = await open()
        await other.begin()
        const waiting = views.waitForApplied(6, patienceMs)
        await other.apply([], { position: 6 })
        expect(await waiting).to.equal(true)
      })
    })

    describe('two that write', () => {
      it('both begin again at the checkpoint once the other has written, and make the same documents', async () => {
        const other = await open()
        await other.begin()
        await views.apply([write(1, { status: 'a' })], to(1))
        await views.apply([write(2, { status: 'b' })], { position: 2 })
        expect(await failureOf(other.verify()))
          .to.be.instanceOf(ViewsReplacedError)
          .and.not.instanceOf(ViewsLostError)
        const error = await failureOf(other.apply([write(1, { status: 'a' })], to(1)))
        expect(error).to.be.instanceOf(ViewsReplacedError).and.not.instanceOf(ViewsLostError)
        expect(await other.begin()).to.equal(1)
        await other.apply([write(2, { status: 'b' }), write(3, { status: 'c' })], to(3))
        expect(await failureOf(views.apply([], to(2)))).to.be.instanceOf(ViewsReplacedError)
        expect(await views.begin()).to.equal(3)
        await views.verify()
        expect(await views.get<Job>('jobs', id)).to.deep.equal({ id, position: 3, status: 'c' })
      })
    })

    describe('reading', () => {
      it('gives nothing for ids that do not exist', async () => {
        expect(await views.get('jobs', id)).to.equal(undefined)
        expect(await views.getMany('jobs', [id])).to.deep.equal([])
        expect(await views.getMany('jobs', [])).to.deep.equal([])
        expect(await views.listMany('jobs', [id])).to.deep.equal([])
        expect(await views.listMany('jobs', [])).to.deep.equal([])
      })

      it('gives every document of many ids once', async () => {
        const ids = [randomUUID(), randomUUID(), randomUUID()]
        await views.apply(
          ids.slice(0, 2).map((each) => write(1, { status: each }, each)),
          to(1),
        )
        for (const found of [
          await views.getMany<Job>('jobs', [...ids, ...ids]),
          await views.listMany<Job>('jobs', [...ids, ...ids]),
        ])
          expect(found.map((document) => document.id).sort()).to.deep.equal(ids.slice(0, 2).sort())
      })

      it('finds documents by the current value of an indexed field', async () => {
        const [orgA, orgB] = [randomUUID(), randomUUID()]
        const key = (position: number, fields: Key): GuardedWrite => {
          return { collection: 'keys', id: `${id}-${fields.name}`, position, fields }
        }
        await views.apply(
          [
            key(1, { listedFor: orgA, name: 'one' }),
            key(2, { listedFor: orgA, name: 'two' }),
            key(3, { listedFor: orgB, name: 'three' }),
            { ...key(4, { listedFor: orgA, name: 'four' }), collection: 'jobs' },
          ],
          to(4),
        )
        const names = async (orgId: string): Promise<(string | undefined)[]> =>
          (await views.find<Key>('keys', 'listedFor', orgId)).map((document) => document.name).sort()
        expect(await names(orgA)).to.deep.equal(['one', 'two'])
        await views.apply([{ ...key(5, { listedFor: orgB, name: 'two' }) }], to(5))
        expect(await names(orgA)).to.deep.equal(['one'])
        expect(await names(orgB)).to.deep.equal(['three', 'two'])
        expect(await names(randomUUID())).to.deep.equal([])
      })

      it('refuses to search by a field without an index', async () => {
        const error = await views.find('jobs', 'status', 'queued').catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(RangeError)
      })
    })

    describe('pages', () => {
      const kinds = ['transcript', 'extraction']
      const states = ['queued', 'completed', 'failed']
      const job = (n: number, fields: Record<string, unknown>): GuardedWrite =>
        write(
          n,
          { orgId: id, kind: 'transcript', listedAs: 'queued', requestedAt: n, result: `{"n":${n}}`, ...fields },
          `${id}-${n}`,
        )
      type Asked = {
        kind?: string[]
        listedAs?: string[]
        orgId?: string
        after?: PageQuestion['after']
        limit?: number
      }
      const page = async ({ kind = kinds, listedAs = states, orgId = id, after, limit = 10 }: Asked = {}) => {
        const where = { orgId: [orgId], kind, listedAs }
        const question = { where, by: 'requestedAt', limit, ...(after && { after }) }
        return views.page<{ requestedAt: number }>('jobs', question)
      }
      const numbers = async (asked?: Asked) => (await page(asked)).map(({ requestedAt }) => requestedAt)

      it('list the newest first, without their large field', async () => {
        await views.apply([job(2, {}), job(3, { kind: 'extraction' }), job(1, { listedAs: 'failed' })], to(3))
        expect(await numbers()).to.deep.equal([3, 2, 1])
        const whole = { id: `${id}-2`, position: 2, orgId: id, kind: 'transcript', listedAs: 'queued', requestedAt: 2 }
        expect((await page())[1]).to.deep.equal(whole)
      })

      it('list the documents that now have one of the values in each field', async () => {
        await views.apply([job(1, {}), job(2, { listedAs: 'completed' }), job(3, { kind: 'extraction' })], to(3))
        expect(await numbers({ listedAs: ['queued'] })).to.deep.equal([3, 1])
        expect(await numbers({ listedAs: ['queued', 'completed'], kind: ['transcript'] })).to.deep.equal([2, 1])
        await views.apply([{ ...job(1, { listedAs: 'failed' }), position: 4 }], to(4))
        expect(await numbers({ listedAs: ['queued'] })).to.deep.equal([3])
        expect(await numbers({ orgId: randomUUID() })).to.deep.equal([])
      })

      it('leave out documents that lack a field of the index', async () => {
        const bare = write(5, { orgId: id, kind: 'transcript', listedAs: 'failed' })
        await views.apply([job(1, {}), bare, job(2, { listedAs: null })], to(5))
        expect(await numbers()).to.deep.equal([1])
      })

      it('follow each other without a gap or a repeat, even if many documents have the same number', async () => {
        const writes = Array.from({ length: 25 }, (_, n) => job(n + 1, { requestedAt: n % 3, kind: kinds[n % 2] }))
        await views.apply(writes, to(25))
        const all = await page({ limit: 100 })
        const expected = writes.map(({ id, fields }) => ({ id, by: Number(fields.requestedAt) }))
        expected.sort((one, other) => other.by - one.by || (one.id < other.id ? 1 : -1))
        expect(all.map((each) => each.id)).to.deep.equal(expected.map((each) => each.id))
        const read: string[] = []
        for (let after: PageQuestion['after']; ; ) {
          const next = await page({ limit: 4, ...(after && { after }) })
          if (next.length === 0) break
          read.push(...next.map((each) => each.id))
          const last = next.at(-1)
          after = { by: last?.requestedAt ?? 0, id: last?.id ?? '' }
        }
        expect(read).to.deep.equal(all.map((each) => each.id))
      })

      it('can begin below a number that no document has', async () => {
        await views.apply(
          [1, 2, 3].map((n) => job(n, {})),
          to(3),
        )
        expect(await numbers({ after: { by: 3, id: '' } })).to.deep.equal([2, 1])
        expect(await numbers({ after: { by: 2.5, id: '' }, limit: 1 })).to.deep.equal([2])
      })

      it('are refused if no index has these fields in this order', async () => {
        const ask = (question: PageQuestion) => views.page('jobs', question).catch((thrown: unknown) => thrown)
        const [where, rest] = [{ orgId: [id] }, { limit: 1 }]
        expect(await ask({ where, by: 'requestedAt', ...rest })).to.be.instanceOf(RangeError)
        const complete = { orgId: [id], kind: kinds, listedAs: states }
        expect(await ask({ where: complete, by: 'endedAt', ...rest })).to.be.instanceOf(RangeError)
      })
    })

    describe('waiting for a change', () => {
      it('ends at once if the document is newer already', async () => {
        await views.apply([write(5, { status: 'completed' })], to(5))
        expect(await waits(4, patienceMs)).to.deep.equal({ id, position: 5, status: 'completed' })
        expect((await waits(0, patienceMs))?.position).to.equal(5)
      })

      it('ends when the document appears, and when it changes', async () => {
        const coming = waits(0, patienceMs)
        await views.apply([write(5, { status: 'queued' })], to(5))
        expect((await coming)?.status).to.equal('queued')
        const changing = waits(5, patienceMs)
        await views.apply([write(6, { status: 'completed' })], to(6))
        expect((await changing)?.status).to.equal('completed')
      })

      it('does not end for another document', async () => {
        const ended: string[] = []
        const waiting = waits(0, patienceMs).then(() => ended.push('waited'))
        await views.apply([write(1, { status: 'queued' }, randomUUID())], to(1))
        ended.push('other applied')
        await views.apply([write(2, { status: 'queued' })], to(2))
        await waiting
        expect(ended).to.deep.equal(['other applied', 'waited'])
      })

      it('returns the stored document after the timeout', async () => {
        expect(await waits(0, shortMs)).to.equal(undefined)
        await views.apply([write(5, { status: 'queued' })], to(5))
        expect((await waits(5, shortMs))?.position).to.equal(5)
      })

      it('returns the stored document when it is aborted, before or while it waits', async () => {
        await views.apply([write(5, { status: 'queued' })], to(5))
        expect((await waits(5, patienceMs, AbortSignal.abort()))?.position).to.equal(5)
        const controller = new AbortController()
        const waiting = waits(5, patienceMs, controller.signal)
        controller.abort()
        expect((await waiting)?.position).to.equal(5)
      })

      it('wakes all of many waiters, for the same document and for others', async () => {
        const ids = Array.from({ length: 50 }, () => randomUUID())
        const all = [...ids, ...ids].map((each) => views.waitForChange<Job>('jobs', each, 0, patienceMs))
        await views.apply(
          ids.map((each) => write(1, { status: each }, each)),
          to(1),
        )
        expect((await Promise.all(all)).map((document) => document?.status)).to.deep.equal([...ids, ...ids])
      })

      it('sees what another process applies', async () => {
        const other = await open()
        await other.begin()
        const waiting = waits(0, patienceMs)
        await other.apply([write(5, { status: 'queued' })], to(5))
        expect((await waiting)?.status).to.equal('queued')
      })
    })

    describe('notes', () => {
      it('are replaced whole, the last writer wins', async () => {
        await views.putNote(id, { a: 1, b: 2 })
        await views.putNote(id, { a: 3 })
        const other = await open()
        expect(await other.getNotes([id, randomUUID()])).to.deep.equal(new Map([[id, { a: 3 }]]))
        await other.putNote(id, {})
        expect(await views.getNotes([id])).to.deep.equal(new Map([[id, {}]]))
      })
    })
  })
}
