import { join } from 'node:path'
import { expect } from 'chai'
import { readHistory } from '#packages/history/questions/read-history.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { ArchivedHistory } from './archived-history.ts'
import { allOf, exported, type Past, pastStore, personal } from './archived-store.fixture.ts'
import { type Archive, openArchive } from './open-archive.ts'

const full = { events: 20, size: 1_000_000 }

describe('an archive and a store as one history', () => {
  let past: Past
  let jobs: string[]
  let whole: StoredEvent[]
  let archive: Archive
  let blank: Archive
  let together: ArchivedHistory
  let alone: ArchivedHistory
  const opened = new AsyncDisposableStack()

  before(async () => {
    const folder = opened.use(await temporaryDirectory())
    ;({ past, jobs } = await pastStore())
    await exported(past.store, join(folder.path, 'archive'), { full, withContent: true })
    await exported(past.store, join(folder.path, 'blank'), { full })
    whole = await allOf(past.store)
    archive = opened.use(await openArchive(join(folder.path, 'archive'), { threads: 1 }))
    blank = opened.use(await openArchive(join(folder.path, 'blank'), { threads: 1 }))
    alone = new ArchivedHistory(archive)
    together = new ArchivedHistory(archive, past.store)
    // First remove streams from the store, then add events that the archive does not have yet.
    for (const jobId of jobs.slice(0, 20)) await past.store.remove(streams.job(jobId))
    await past.store.truncate(streams.credits('org-1'), 12)
    await past.job('org-1', 'newer')
    const all = await allOf(past.store)
    whole = [...whole, ...all.filter(({ position }) => position > (whole.at(-1)?.position ?? 0))]
  })
  after(() => opened.disposeAsync())

  const ofStream = (stream: string): StoredEvent[] => whole.filter((event) => event.stream === stream)

  const backwards = (stream: string): Promise<StoredEvent[]> => Array.fromAsync(together.readBackwards(stream))

  it('reads streams whole that the store has, has removed, has truncated, or has only now', async () => {
    const names = [streams.job(jobs[0] ?? ''), streams.job(jobs.at(-1) ?? ''), streams.job('newer')]
    for (const stream of [...names, streams.credits('org-1'), streams.credits('org-2')]) {
      expect(await together.read(stream), stream).to.deep.equal(ofStream(stream))
      expect(await backwards(stream), stream).to.deep.equal(ofStream(stream).reverse())
    }
    expect(await together.read(streams.job('nobody'))).to.deep.equal([])
    expect(await backwards(streams.job('nobody'))).to.deep.equal([])
  })

  it('reads parts of a stream from both', async () => {
    const ledger = streams.credits('org-1')
    for (const part of ['0-5', '5-20', '11-12', '12-14', '200-210']) {
      const [from = 0, to = 0] = part.split('-').map(Number)
      expect(await together.read(ledger, { from, to }), part).to.deep.equal(ofStream(ledger).slice(from, to + 1))
    }
    expect(await together.read(ledger, { from: 7 })).to.deep.equal(ofStream(ledger).slice(7))
  })

  it('gives the feed in order, without doubles, from any place on', async () => {
    expect(await allOf(past.store)).to.have.length.below(whole.length)
    expect(await allOf(together)).to.deep.equal(whole)
    const part: StoredEvent[] = []
    await readHistory(together, { prefixes: ['credits-org-1', 'key-'], after: 20 }, (events) => {
      part.push(...events)
    })
    expect(part).to.deep.equal(whole.filter(({ stream, position }) => stream === 'credits-org-1' && position > 20))
  })

  it('takes the event of the store where both have one', async () => {
    const urls = new Map(
      (await allOf(new ArchivedHistory(blank, past.store))).flatMap(({ type, stream, data }) =>
        type === 'JobRequested' ? [[stream, data.url]] : [],
      ),
    )
    expect(urls.get(streams.job(jobs[0] ?? ''))).to.match(/^sha256:/)
    expect(urls.get(streams.job(jobs.at(-1) ?? ''))).to.equal(personal.url)
  })

  it('holds without a store', async () => {
    const archived = whole.filter(({ position }) => position <= archive.manifest.position)
    expect(await allOf(alone)).to.deep.equal(archived)
    const ledger = streams.credits('org-1')
    expect(await alone.read(ledger)).to.deep.equal(archived.filter(({ stream }) => stream === ledger))
  })

  it('gives what comes later as the store does', async () => {
    const end = new AbortController()
    const { position: after } = whole.at(-1) ?? { position: 0 }
    const found: StoredEvent[] = []
    for await (const { events, caughtUp } of together.follow({ after, prefixes: ['job-'], signal: end.signal })) {
      found.push(...events)
      if (caughtUp && found.length === 0) await past.job('org-1', 'latest')
      if (found.length === 4) end.abort()
    }
    expect(found.map(({ stream }) => stream)).to.deep.equal(Array(4).fill(streams.job('latest')))
  })
})
