/** A customer's watches on the sandbox: what a first look finds, its jobs, and how a watch is paused and deleted. */
import { expect } from 'chai'
import { VideoIntelligence } from '#packages/client/client.ts'
import { longShelf, shelf } from '#services/sandbox/youtube/shelf.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { until } from '#test/doubles/service/until.ts'

describe('watches', function () {
  this.timeout(180_000)
  const setting = openedForAll(() => SandboxSetting.start({ sessions: true }))
  const me = madeForAll(() => setting.client({ plan: 'pro' }))
  const api = madeForAll(() => new VideoIntelligence({ baseUrl: setting.service.base, apiKey: me.key }))

  it('note the videos of a channel, request each new video once, and report what they did', async () => {
    const { watchId } = await api.watches.create({
      source: { type: 'channel', handle: longShelf.handle },
      every: '15m',
      // biome-ignore lint/suspicious/noThenProperty: the name that the API gives it
      then: { operation: 'transcript', options: { mode: 'native' } },
      maxCreditsPerMonth: 10,
      backfill: 2,
    })
    const begun = await until('both videos have jobs', async () => {
      const { found } = await api.watches.found(watchId)
      return found.length > 0 && found.every(({ jobId, code }) => jobId !== null || code !== null) && found
    })
    const newest = shelf.videos.slice(-2).map(({ url }) => url)
    expect(begun.map(({ number, url }) => [number, url])).to.deep.equal(newest.map((url, i) => [i + 1, url]))
    for (const { jobId } of begun) {
      const job = await until('the job has ended', async () => {
        const known = await api.job(jobId ?? '')
        return known.status !== 'queued' && known
      })
      expect(job.url).to.be.oneOf(newest)
    }
    const known = await api.watches.get(watchId)
    expect(known).to.include({ status: 'on', reason: null, failure: null, found: 2 })
    expect(known.lastLookAt).to.not.equal(null)
    const after = await api.watches.found(watchId, { after: 1 })
    expect(after.found.map(({ number }) => number)).to.deep.equal([2])
    expect(await api.watches.change(watchId, { status: 'paused' })).to.include({ status: 'paused', nextLookAt: null })
    await api.watches.delete(watchId)
    expect(await api.watches.list()).to.deep.equal([])
  })

  it('report that there is no such source', async () => {
    const { watchId } = await api.watches.create({ source: { type: 'channel', handle: 'nobodyhere' }, every: '1h' })
    const paused = await until('it is paused', async () => {
      const known = await api.watches.get(watchId)
      return known.status === 'paused' && known
    })
    expect(paused).to.deep.include({ reason: 'source', found: 0 })
    expect(paused.failure?.code).to.equal('not_found')
  })
})
