import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { itemStates } from '#packages/domain/batch/state.ts'
import { hold } from '#packages/domain/credits/credits.fixture.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { ReadSource } from '#packages/platforms/sources/read-source.ts'
import { streams } from '#packages/ports/ids.ts'
import { NO_CAPTIONS } from '#test/bench/service/noop-steps.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { until } from '#test/doubles/service/until.ts'
import { batchOf, startBatches } from './batches.harness.ts'

type Started = Awaited<ReturnType<typeof startBatches>>

const ended = ({ batches, orgId, ledgers }: Started, batchId: string) =>
  until('the batch has ended, and its hold is released', async () => {
    const batch = await batches.get(orgId, batchId)
    return batch.status === 'ended' && (await ledgers.current(orgId)).holds.size === 0 && batch
  })

/** A step that is over once the test lets it go on. */
function heldCaptions() {
  const held = Promise.withResolvers<void>()
  const caption = async () => {
    await held.promise
    return { type: 'CaptionsUnavailable', data: NO_CAPTIONS } as const
  }
  return { held, caption }
}

const playlist = { type: 'playlist', url: 'https://www.youtube.com/playlist?list=PL1' } as const

describe('a batch', () => {
  it('makes a job for each item, charges what the jobs cost, and releases the rest of its hold', async () => {
    await using service = await startBatches()
    const { batches, orgId, ledgers, store } = service
    const { balance } = await ledgers.current(orgId)
    const { batchId } = await batches.create(batchOf(orgId, 45))
    const batch = await ended(service, batchId)
    expect(batch).to.deep.include({ reason: 'completed', items: 45, expectedEndAt: null })
    expect(batch.counts).to.deep.include({ completed: 45, failed: 0, working: 0 })
    expect(batch.credits).to.deep.equal({ held: 225, charged: 225, returned: 0 })
    expect((await ledgers.current(orgId)).balance).to.equal(balance - 225)
    const { items } = await batches.items(orgId, batchId, { limit: 50 })
    for (const { jobId } of items) {
      const [requested] = await store.read(`job-${jobId}`)
      expect(requested?.data).to.deep.include({ batchId, lane: 'bulk', surface: 'batch', budget: 5 })
    }
    expect(new Set(items.map(({ jobId }) => jobId)).size).to.equal(45)
    const list = await until('the list shows its end', async () => {
      const {
        batches: [listed],
      } = await batches.list(orgId, { limit: 10 })
      return listed?.status === 'ended' && listed
    })
    expect(list).to.deep.include({ batchId, items: 45, completed: 45, failed: 0 })
  })

  it('begins equal requests once, and only as many items as its credits cover', async () => {
    await using service = await startBatches()
    const { batches, orgId } = service
    const application = batchOf(orgId, 4, { maxCredits: 12 })
    const [first] = application.videos
    const videos = [...application.videos, { url: first?.url ?? '', line: 5 }]
    const batch = await ended(service, (await batches.create({ ...application, videos })).batchId)
    expect(batch.counts).to.deep.include({ completed: 2, failed: 2 })
    expect(batch.credits).to.deep.equal({ held: 12, charged: 10, returned: 2 })
    const { items } = await batches.items(orgId, batch.batchId, { limit: 50 })
    expect(items.map(({ lines }) => lines)).to.deep.equal([[1, 5], [2], [3], [4]])
    expect(items.map(({ code }) => code)).to.deep.equal([null, null, 'insufficient_credits', 'insufficient_credits'])
  })

  it('begins nothing more once it is cancelled, and releases the credits of items that have not begun', async () => {
    const { held, caption } = heldCaptions()
    await using service = await startBatches({ works: { caption } })
    const { batches, orgId } = service
    const { batchId } = await batches.create(batchOf(orgId, 40))
    await until('something is at work', async () => (await batches.get(orgId, batchId)).counts.working > 0)
    const metadata = { ...batchOf(orgId, 0).metadata, correlationId: batchId }
    const cancelled = await batches.cancel(batchId, { by: null, metadata })
    expect(cancelled.cancelled).to.equal(true)
    held.resolve()
    const batch = await ended(service, batchId)
    expect(batch.reason).to.equal('cancelled')
    expect(batch.counts.cancelled).to.be.at.least(20)
    expect(itemStates.reduce((sum, state) => sum + batch.counts[state], 0)).to.equal(40)
    expect(batch.credits.charged).to.equal(batch.counts.completed * 5)
  })

  it('is refused with the credits it needs and the credits there are, and then holds nothing', async () => {
    await using service = await startBatches()
    const { batches, orgId, ledgers } = service
    const { balance } = await ledgers.current(orgId)
    await ledgers.execute(orgId, {
      command: hold('other', balance - 7),
      metadata: { ...batchOf(orgId, 0).metadata, correlationId: 'other' },
    })
    const refused = await failureOf(batches.create(batchOf(orgId, 2)))
    expect(refused).to.deep.include({ code: 'forbidden' })
    expect((refused as { details?: object }).details).to.deep.include({ required: 10, remaining: 7 })
    expect((await ledgers.current(orgId)).holds.size).to.equal(1)
  })

  it('is created once per idempotency key; a different request under that key is refused', async () => {
    await using service = await startBatches()
    const { batches, orgId } = service
    const idempotencyKey = 'again'
    const first = await batches.create(batchOf(orgId, 3, { idempotencyKey }))
    expect(await batches.create(batchOf(orgId, 3, { idempotencyKey }))).to.deep.equal(first)
    const other = await failureOf(batches.create(batchOf(orgId, 4, { idempotencyKey })))
    expect(other).to.deep.include({ code: 'idempotency_conflict' })
    const batch = await ended(service, first.batchId)
    expect(batch.credits.charged).to.equal(15)
  })

  it('takes the videos of a source once each, up to its limit, and none published before the given day', async () => {
    const pages = [
      ['a', 'b', 'old'],
      ['b', 'c'],
      ['d', 'e'],
    ]
    const asked: (string | undefined)[] = []
    const readSource: ReadSource = async (_, cursor) => {
      asked.push(cursor)
      const page = Number(cursor ?? 0)
      const items = (pages[page] ?? []).map((name) => {
        const url = `https://cdn.example.com/${name}.mp4`
        return { id: name, url, title: null, publishedAt: name === 'old' ? 1000 : null }
      })
      return { items, next: page + 1 < pages.length ? String(page + 1) : null }
    }
    await using service = await startBatches({ readSource })
    const { batches, orgId } = service
    const { batchId } = await batches.create(batchOf(orgId, 0, { source: { from: playlist, limit: 4, since: 2000 } }))
    const batch = await ended(service, batchId)
    expect(batch).to.deep.include({ reason: 'completed', complete: true })
    expect(batch.credits).to.deep.equal({ held: 20, charged: 20, returned: 0 })
    const { items } = await batches.items(orgId, batchId, { limit: 10 })
    expect(items.map(({ url }) => url.at(-5))).to.deep.equal(['a', 'b', 'c', 'd'])
    expect(asked).to.deep.equal([undefined, '1', '2'])
  })

  it('takes recent videos of a channel when the list gives no dates, and videos without any date', async () => {
    const day = Date.UTC(2026, 0, 10)
    const dates: Record<string, number | null> = {
      new: day + 90_000,
      untold: null,
      that_day: day,
      old: day + 1,
      older: day + 90_000,
    }
    const dated: string[] = []
    const urlOf = (name: string): string => `https://cdn.example.com/${name}.mp4`
    const items = ['new', 'untold', 'gone', 'that_day', 'old', 'older'].map((name) => {
      return { id: name, url: urlOf(name), title: null, publishedAt: null }
    })
    await using service = await startBatches({
      readSource: async () => ({ items, next: 'more' }),
      dateOf: async (url) => {
        const name = url.split('/').at(-1)?.split('.')[0] ?? ''
        dated.push(name)
        if (name === 'gone') throw new ServiceError('not_found', 'It is private.')
        return dates[name] ?? null
      },
    })
    const { batches, orgId } = service
    const from = { type: 'channel', url: 'https://www.youtube.com/@somebody', list: 'videos' } as const
    const since = day + 60_000
    const { batchId } = await batches.create(batchOf(orgId, 0, { source: { from, limit: 10, since } }))
    await ended(service, batchId)
    const taken = await batches.items(orgId, batchId, { limit: 10 })
    expect(taken.items.map(({ url }) => url)).to.deep.equal(['new', 'untold', 'gone', 'that_day'].map(urlOf))
    expect(dated, 'it has the newest first').to.not.include('older')
  })

  it('ends at once when its source does not exist, and releases its credits', async () => {
    const readSource: ReadSource = () => Promise.reject(new ServiceError('not_found', 'There is no such list.'))
    await using service = await startBatches({ readSource })
    const { batches, orgId } = service
    const { batchId } = await batches.create(batchOf(orgId, 0, { source: { from: playlist, limit: 4, since: null } }))
    const batch = await ended(service, batchId)
    expect(batch.reason).to.equal('source_failed')
    expect(batch.credits).to.deep.equal({ held: 20, charged: 0, returned: 20 })
  })

  it('begins nothing more once its key is revoked', async () => {
    const { held, caption } = heldCaptions()
    await using service = await startBatches({ works: { caption } })
    const { batches, orgId, store } = service
    const keyId = randomUUID()
    const { batchId } = await batches.create(batchOf(orgId, 30, { keyId }))
    await until('something is at work', async () => (await batches.get(orgId, batchId)).counts.working > 0)
    const metadata = { ...batchOf(orgId, 0).metadata, correlationId: keyId }
    await store.append(streams.key(keyId), 'no-stream', [
      { type: 'KeyRevoked', data: { orgId }, id: randomUUID(), metadata },
    ])
    await until('the rest is cancelled', async () => (await batches.get(orgId, batchId)).cancelled)
    held.resolve()
    const batch = await ended(service, batchId)
    expect(batch.reason).to.equal('key_revoked')
    expect(batch.counts.cancelled).to.equal(10)
    expect(batch.credits).to.deep.equal({ held: 150, charged: 100, returned: 50 })
  })
})
