import { expect } from 'chai'
import type { Document, GuardedWrite, Stored, Views } from './views.ts'
import type { ViewsReader } from './views-reader.ts'
import { to } from './views-samples.contract.ts'

/** Empty views, and a way to open a reader of them. */
export type ViewsReaderFixture = AsyncDisposable & {
  open(): Promise<Views>
  openReader(): ViewsReader
}

/** More documents than a reader returns in one page. */
const MANY = 600

/** How many documents to write at once. */
const AT_ONCE = 100

const write = (id: string, position: number, fields: Document): GuardedWrite => {
  return { collection: 'jobs', id, position, fields }
}

/** Checks the promises of ViewsReader. */
export function describeViewsReader(name: string, makeFixture: () => Promise<ViewsReaderFixture>): void {
  describe(`${name}, read beside services that write them`, function () {
    this.timeout(60_000)
    let views: Views
    let reader: ViewsReader
    const opening = new AsyncDisposableStack()
    before(async () => {
      const fixture = opening.use(await makeFixture())
      views = opening.use(await fixture.open())
      reader = opening.use(fixture.openReader())
    })
    after(() => opening.disposeAsync())

    const all = async (collection: string): Promise<Stored<Document>[]> => {
      const found: Stored<Document>[] = []
      for await (const page of reader.documents(collection)) found.push(...page)
      return found
    }

    it('have no checkpoint while they are not readable', async () => {
      await views.begin()
      await views.apply([write('a', 1, { orgId: 'one' })], to(1))
      expect(await reader.checkpoint()).to.equal(undefined)
      await views.makeReadable()
      expect(await reader.checkpoint()).to.equal(1)
    })

    it('are returned whole, each document once, and as they are now', async () => {
      const many = Array.from({ length: MANY }, (_, index) =>
        write(`job-${index}`, index + 2, { index, result: 'text' }),
      )
      for (let from = 0; from < MANY; from += AT_ONCE) {
        const some = many.slice(from, from + AT_ONCE)
        await views.apply(some, to(some.at(-1)?.position ?? 0))
      }
      expect(await reader.checkpoint()).to.equal(MANY + 1)
      const found = await all('jobs')
      expect(new Set(found.map(({ id }) => id)).size)
        .to.equal(found.length)
        .and.to.equal(MANY + 1)
      const seventh = { id: 'job-7', position: 9, index: 7, result: 'text' }
      expect(found.find(({ id }) => id === 'job-7')).to.deep.equal(seventh)
      expect(await all('balances')).to.deep.equal([])
      await views.apply([write('job-7', MANY + 2, { index: 8 })], to(MANY + 2))
      const changed = { id: 'job-7', position: MANY + 2, index: 8 }
      expect(await reader.getMany('jobs', ['job-7', 'nobody'])).to.deep.equal([changed])
    })

    it('lack documents that were removed', async () => {
      await views.apply([{ collection: 'jobs', position: 5000, removes: { id: 'job-7' } }], to(5000))
      expect(await reader.getMany('jobs', ['job-7'])).to.deep.equal([])
      expect((await all('jobs')).map(({ id }) => id))
        .to.have.length(MANY)
        .and.to.not.include('job-7')
    })
  })
}
