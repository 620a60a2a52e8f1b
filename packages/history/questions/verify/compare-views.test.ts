import { expect } from 'chai'
import { projections } from '#packages/events/views/projections.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Document, Stored } from '#packages/ports/views.ts'
import type { ViewsReader } from '#packages/ports/views-reader.ts'
import { changesOf, stepsOf } from '#services/projections/changes-of.ts'
import { Random } from '#test/doubles/random.ts'
import { storeOf } from '../history-store.fixture.ts'
import { allStreams } from '../projection.ts'
import { readHistory } from '../read-history.ts'
import { ViewsCheck } from './compare-views.ts'
import { madeHistory } from './made-history.fixture.ts'

const SEEDS = 100

/** Stands in for the service's views: the documents made from events, with the checkpoints that it is given. */
class StoredViews implements ViewsReader {
  /** The checkpoints to report, in order. The last one is repeated. */
  standing: (number | undefined)[]
  readonly collections = new Map<string, Map<string, Stored<Document>>>()

  constructor(events: readonly StoredEvent[]) {
    this.standing = [events.at(-1)?.position]
    for (const { name } of projections) this.collections.set(name, new Map())
    for (const change of changesOf(stepsOf(projections, events), new Map()))
      if ('fields' in change)
        this.put(change.collection, { ...change.fields, id: change.id, position: change.position })
  }

  put(collection: string, document: Stored<Document>): void {
    this.collections.get(collection)?.set(document.id, JSON.parse(JSON.stringify(document)))
  }

  /** All documents with their collections. */
  all(): { collection: string; document: Stored<Document> }[] {
    return [...this.collections].flatMap(([collection, documents]) =>
      [...documents.values()].map((document) => ({ collection, document })),
    )
  }

  async checkpoint() {
    return this.standing.length > 1 ? this.standing.shift() : this.standing[0]
  }

  async *documents(collection: string) {
    yield [...(this.collections.get(collection)?.values() ?? [])]
  }

  async getMany(collection: string, ids: readonly string[]) {
    return ids.flatMap((id) => this.collections.get(collection)?.get(id) ?? [])
  }

  async [Symbol.asyncDispose]() {}
}

async function compared(events: readonly StoredEvent[], views: ViewsReader, mostBytes?: number) {
  const store = storeOf(events)
  const check = new ViewsCheck(store, views, projections, { mostBytes })
  await check.begin()
  await readHistory(store, { prefixes: allStreams }, (batch) => check.take(batch))
  return await check.end()
}

/** Changes a document, removes it, or adds one that no event makes. @returns its id */
function damage(views: StoredViews, random: Random): string {
  const { collection, document } = random.pick(views.all())
  const { id, position, ...fields } = document
  const how = random.pick(['changed', 'lost', 'added', 'older'])
  const name = random.pick(Object.keys(fields))
  if (how === 'changed') views.put(collection, { ...document, [name]: 'something else' })
  if (how === 'lost') views.collections.get(collection)?.delete(id)
  if (how === 'older') views.put(collection, { ...document, position: position - 0.5 })
  if (how === 'added') views.put(collection, { ...document, id: `${id}-added` })
  return how === 'added' ? `${id}-added` : id
}

describe('stored views', () => {
  it('equal a fresh replay of the events, in one pass or in several where there are many', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const events = madeHistory(seed)
      const views = new StoredViews(events)
      const documents = views.all().length
      for (const mostBytes of [undefined, 4000]) {
        const found = await compared(events, views, mostBytes)
        expect(found).to.include({ differing: 0, moving: 0, documents, position: events.at(-1)?.position })
      }
    }
  })

  it(`are found to differ in one document, in each of ${SEEDS} histories`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const events = madeHistory(seed)
      const views = new StoredViews(events)
      const random = new Random(`a view that differs ${seed}`)
      const id = damage(views, random)
      const { differing, first } = await compared(events, views, random.pick([undefined, 4000]))
      expect({ differing, id: first?.id }, `seed ${seed}`).to.deep.equal({ differing: 1, id })
    }
  })

  it('are compared where they are further than was said, once they are said to be there', async () => {
    const events = madeHistory(7)
    const views = new StoredViews(events)
    const [middle, end] = [events[30]?.position, events.at(-1)?.position]
    views.standing = [middle, middle, middle, end]
    expect(await compared(events, views)).to.include({ differing: 0, moving: 0, documents: views.all().length })
    views.standing = [middle]
    const { differing, moving } = await compared(events, views)
    expect(differing).to.equal(0)
    expect(moving).to.be.above(0)
  })

  it('are not compared while they are rebuilt', async () => {
    const events = madeHistory(7)
    const views = new StoredViews(events)
    views.standing = [undefined]
    expect(await compared(events, views)).to.include({ position: undefined, documents: 0 })
  })

  it('may hold what events that are gone had added, but not the documents of removed jobs', async () => {
    let cut = 0
    for (let seed = 1; seed <= 20; seed++) {
      const { all, left, job } = withRemovedJob(madeHistory(seed))
      const views = new StoredViews(all)
      const found = await compared(left, views)
      expect(found, `seed ${seed}`).to.include({ differing: 0 })
      cut += found.cut
      // In the end retention also removes its own records of removals.
      const later = left.filter(({ type }) => type !== 'StreamsRemoved')
      expect(await compared(later, views), `seed ${seed}`).to.include({ differing: 0 })
      const [one] = views.all().filter(({ collection }) => collection === 'jobs')
      if (one === undefined) continue
      views.put('jobs', { ...one.document, id: job.slice('job-'.length) })
      expect(await compared(left, views), `seed ${seed}`).to.include({ differing: 1 })
    }
    expect(cut).to.be.above(0)
  })
})

/** A history before and after the removal of one job's stream. */
function withRemovedJob(events: readonly StoredEvent[]): { all: StoredEvent[]; left: StoredEvent[]; job: string } {
  const settled = events.findLast(({ type }) => type === 'CreditsSettled') as StoredEvent & { type: 'CreditsSettled' }
  const job = streams.job(settled.data.jobId)
  const last = events.at(-1) as StoredEvent
  const removal = {
    ...last,
    type: 'StreamsRemoved',
    stream: streams.removal(settled.metadata.orgId),
    revision: 0,
    position: last.position + 1,
    data: { reason: 'retention', streams: [job] },
    metadata: settled.metadata,
  } as StoredEvent
  const all = [...events, removal]
  return { all, left: all.filter(({ stream }) => stream !== job), job }
}
