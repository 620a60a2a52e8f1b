/**
 * A customer's batches on the sandbox: what is held and charged, the results in each form, and how a batch is
 * cancelled.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'csv-parse/sync'
import type { BatchDetails, TranscriptResult } from '#contracts/generated/http.ts'
import { VideoIntelligence } from '#packages/client/client.ts'
import { longShelf, shelf } from '#services/sandbox/youtube/shelf.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const execute = promisify(execFile)

/** Two with captions, and one without. */
const captioned = ['nvlHourCh01', 'ktchnRadio1', 'ktchnQuiet1'].map((id) => `https://www.youtube.com/watch?v=${id}`)
const native = { operation: 'transcript', options: { mode: 'native' } } as const

async function bytesOf(file: ReadableStream<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of file) parts.push(part)
  return Buffer.concat(parts)
}

describe('batches', function () {
  this.timeout(180_000)
  const setting = openedForAll(() => SandboxSetting.start({ sessions: true }))
  const me = madeForAll(() => setting.client({ plan: 'pro' }))
  const api = madeForAll(() => new VideoIntelligence({ baseUrl: setting.service.base, apiKey: me.key }))

  describe('of named videos', () => {
    let batch: BatchDetails
    const seen: BatchDetails[] = []
    before(async () => {
      const requests = [...captioned, { url: captioned[0] ?? '' }]
      batch = await api.batches.run({ ...native, requests }, { onProgress: (each) => seen.push(each) })
    })

    it('read equal requests once, charge what each costs, and refund the rest', async () => {
      const first = seen[0]
      expect(first).to.deep.include({ items: 3, limit: 3, reason: first?.reason, skippedLines: 0 })
      expect(first?.credits.held).to.equal(3)
      expect(batch).to.deep.include({ status: 'ended', reason: 'completed', complete: true, cancelled: false })
      const { completed, failed, cancelled, queued, working } = batch.counts
      expect({ queued, working, cancelled }).to.deep.equal({ queued: 0, working: 0, cancelled: 0 })
      expect(completed + failed).to.equal(3)
      expect(batch.credits).to.deep.equal({ held: 3, charged: completed, returned: 3 - completed })
      const { transactions } = await api.transactions({ limit: 20 })
      const own = transactions.filter(({ batchId }) => batchId === batch.batchId)
      expect(own.filter(({ type }) => type === 'hold' || type === 'release').map(({ amount }) => amount)).to.deep.equal(
        [3 - completed, -3],
      )
    })

    it('list their items with the lines that request them, and list each as a job', async () => {
      const { items } = await api.batches.items(batch.batchId)
      expect(items.map(({ url, lines }) => ({ url, lines }))).to.deep.equal(
        captioned.map((url, index) => ({ url, lines: index === 0 ? [1, 4] : [index + 1] })),
      )
      for (const { jobId, state } of items) expect((await api.job(jobId ?? '')).status).to.equal(state)
      const { batches } = await api.batches.list()
      expect(batches.map(({ batchId }) => batchId)).to.include(batch.batchId)
    })

    it('have one file of results in each form', async () => {
      const { items } = await api.batches.items(batch.batchId, { state: 'completed' })
      expect(items).to.not.deep.equal([])
      const texts = new Map<string, string>()
      for await (const { jobId, state, result } of api.batches.results<TranscriptResult>(batch.batchId))
        if (state === 'completed') texts.set(jobId ?? '', result?.text ?? '')
      expect([...texts.keys()]).to.deep.equal(items.map(({ jobId }) => jobId))
      const rows = parse(await bytesOf(await api.batches.file(batch.batchId, 'csv')), { columns: true }) as unknown as {
        jobId: string
        state: string
        text: string
      }[]
      expect(rows.length).to.equal(3)
      for (const { jobId, text, state } of rows)
        if (state === 'completed') expect(text.replace(/^'/, '')).to.equal(texts.get(jobId))
      await using directory = await temporaryDirectory()
      const zip = join(directory.path, 'results.zip')
      await writeFile(zip, await bytesOf(await api.batches.file(batch.batchId, 'srt')))
      // Read with Python's zipfile, which checks each file's checksum.
      const read =
        'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print("\\n".join(z.namelist()))'
      const { stdout } = await execute('python3', ['-c', read, zip])
      expect(stdout.trim().split('\n')).to.deep.equal([
        ...items.map(({ item, jobId }) => `${String(item).padStart(4, '0')}-${jobId}.srt`),
        'items.csv',
      ])
    })
  })

  it('read NDJSON and CSV, name every invalid line, and leave invalid lines out on request', async () => {
    const post = (type: string, body: string, query = '') =>
      fetch(`${setting.service.base}/v1/batches${query}`, {
        method: 'POST',
        headers: { 'x-api-key': me.key, 'content-type': type },
        body,
      })
    const lines = [JSON.stringify(native), JSON.stringify(captioned[0]), '{"url":"nothing"}', '{', '7']
    const refused = await post('application/x-ndjson', lines.join('\n'))
    expect(refused.status).to.equal(400)
    expect(((await refused.json()) as { details: { line: number }[] }).details.map(({ line }) => line)).to.deep.equal([
      3, 4, 5,
    ])
    const batch = encodeURIComponent(JSON.stringify({ ...native, skipInvalid: true }))
    const table = `title,url\nOne,${captioned[0]}\nTwo,nothing\n`
    const taken = await post('text/csv', table, `?batch=${batch}`)
    expect(taken.status).to.equal(202)
    const { batchId, skippedLines, items } = (await taken.json()) as BatchDetails
    expect({ skippedLines, items }).to.deep.equal({ skippedLines: 1, items: 1 })
    expect(taken.headers.get('location')).to.equal(`/v1/batches/${batchId}`)
    expect(await api.batches.wait(batchId)).to.deep.include({ reason: 'completed' })
  })

  it('read a channel, and report their progress live until their end', async () => {
    const source = { type: 'channel', handle: longShelf.handle } as const
    const { batchId } = await api.batches.create({ ...native, source, limit: 2 })
    const answer = await fetch(`${setting.service.base}/v1/batches/${batchId}/events`, {
      headers: { 'x-api-key': me.key },
    })
    expect(answer.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8')
    const messages = (await answer.text()).split('\n\n').filter((event) => !event.startsWith(':') && event !== '')
    expect(messages.at(-1)).to.equal('event: end\ndata: {}')
    const last = JSON.parse(messages.at(-2)?.split('data: ')[1] ?? '') as BatchDetails
    expect(last).to.deep.include({ batchId, status: 'ended', items: 2, complete: true, reason: 'completed' })
  })

  it('read only the newer videos of a channel, although its list has no dates', async () => {
    const source = { type: 'channel', handle: longShelf.handle } as const
    const [before, ...wanted] = shelf.videos.slice(-3)
    const since = wanted[0]?.published ?? ''
    const { batchId } = await api.batches.run({ ...native, source, limit: 10, since })
    const { items } = await api.batches.items(batchId)
    expect(items.map(({ url }) => url)).to.deep.equal(wanted.map(({ url }) => url).reverse())
    expect(items.map(({ url }) => url)).to.not.include(before?.url)
  })

  it('hold nothing if the credits do not suffice, and when they are cancelled, end what has not begun', async () => {
    const poor = await setting.client({})
    const short = new VideoIntelligence({ baseUrl: setting.service.base, apiKey: poor.key })
    const ofNothing = (count: number) => ({
      operation: 'transcript' as const,
      options: { mode: 'generate' },
      requests: Array.from({ length: count }, (_, n) => `https://www.youtube.com/watch?v=nothing${1000 + n}`),
    })
    const refusal = await failureOf(short.batches.create(ofNothing(20)))
    const plansUrl = `${setting.service.base}/dashboard/plans`
    const details = { reason: 'insufficient_credits', required: 100, remaining: 50, plansUrl }
    expect(refusal).to.deep.include({ code: 'forbidden', details })
    expect((await short.credits()).available).to.equal(50)
    const { batchId } = await api.batches.create(ofNothing(200))
    expect((await api.batches.cancel(batchId)).cancelled).to.equal(true)
    const ended = await api.batches.wait(batchId)
    expect(ended.reason).to.equal('cancelled')
    expect(ended.counts.cancelled).to.be.greaterThan(0)
    expect(ended.credits).to.deep.equal({ held: 1000, charged: 0, returned: 1000 })
  })
})
