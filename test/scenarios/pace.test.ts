/** How fast a platform is read, and what customers see while they wait for their turn, on the sandbox. */
import { expect } from 'chai'
import type { Estimate, JobDetails } from '#contracts/generated/http.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { until } from '#test/doubles/service/until.ts'

const PER_MINUTE = 3

const urlsOf = (videos: readonly CatalogueVideo[]): string[] =>
  videos.filter(({ trouble }) => trouble === undefined).map(({ url }) => url)
const tiktoks = urlsOf(tiktokVideos)

/** In a process of its own, fetch has read nothing yet when the ingress has used up its reads. */
const isOneProcess = startScript === 'start'

describe('the pace of a platform', function () {
  this.timeout(180_000)
  const setting = openedForAll(() => SandboxSetting.start({ env: () => ({ PACE_TIKTOK: `${PER_MINUTE}` }) }))
  const me = madeForAll(() => setting.client())
  /** The earliest start. */
  let minuteEndsAt = 0
  /** Of the jobs that wait for their turn. */
  const waiting: string[] = []
  /** URLs of new videos. */
  const unread = tiktoks.slice(PER_MINUTE)
  const another = (): string => unread.shift() ?? expect.fail('the sandbox has too few videos')

  const metadata = (url = '') => me.metadata(url)
  /** The job once it has ended, or waits for its turn. */
  const rested = (jobId: string) =>
    until('it has ended or waits for its turn', async () => {
      const found = await me.read<JobDetails>(`/v1/jobs/${jobId}`)
      return (found.status !== 'queued' || found.waitingFor?.reason === 'pace') && found
    })

  it('allows a number of reads in a minute; then callers learn when to come back, and the platform is not asked', async () => {
    const read = tiktoks.slice(0, PER_MINUTE)
    minuteEndsAt = Date.now() + 60_000
    for (const url of read) expect((await metadata(url)).status).to.equal(200)
    const { requests } = setting.sandbox.traffic.count({ host: 'www.tiktok.com' })
    const refused = await metadata(tiktoks[PER_MINUTE])
    expect([refused.status, refused.body.error]).to.deep.equal([503, 'unavailable'])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(6, 60)
    expect((await me.get('/v1/tiktok/profile?username=nobody.here')).status).to.equal(503)
    expect(setting.sandbox.traffic.count({ host: 'www.tiktok.com' }).requests).to.equal(requests)
    // Cached answers are served, and other platforms are read.
    expect((await metadata(read[0])).status).to.equal(200)
    for (const url of urlsOf(youtubeVideos).slice(0, PER_MINUTE + 1)) expect((await metadata(url)).status).to.equal(200)
  })

  it('releases a job until its turn, and reports that it waits for it', async () => {
    let read = 0
    while (waiting.length < PER_MINUTE) {
      const jobId = await me.enqueue({ url: another(), mode: 'native' })
      const { waitingFor } = await rested(jobId)
      if (waitingFor === null) read++
      else {
        waiting.push(jobId)
        expect(waitingFor).to.include({ platform: 'tiktok' })
        expect(Date.parse(waitingFor.until ?? '') - Date.now()).to.be.within(0, 60_000)
      }
    }
    // Or those of the next minute, if the machine is slow.
    expect(read).to.be.at.most(isOneProcess && Date.now() < minuteEndsAt ? 0 : PER_MINUTE)
    const { text } = await me.get(`/v1/jobs/${waiting[0]}/events`, { accept: 'application/json' })
    expect(text).to.include('"reason":"pace"')
  })

  it('refuses a job that would wait for more than a third of its window, without a charge, but no other organization', async () => {
    // In processes of their own, the ingress learns some seconds later that a job was released. On a slow machine the
    // next minute may have come.
    const { url, refused, credits } = await until(
      'a job is refused',
      async () => {
        const [url, credits] = [another(), await me.credits()]
        const answer = await me.transcript({ url, mode: 'native' })
        if (answer.status !== 202) return { url, refused: answer, credits }
        waiting.push(answer.body.jobId ?? '')
        return undefined
      },
      { everyMs: 2000 },
    )
    expect([refused.status, refused.body.error]).to.deep.equal([503, 'unavailable'])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect(await me.credits()).to.equal(credits)
    const { refusal } = JSON.parse((await me.post('/v1/estimate', { url: tiktoks[0] })).text) as Estimate
    expect(refusal).to.include({ status: 503, error: 'unavailable' })
    expect((await me.transcript({ url: urlsOf(youtubeVideos)[0] ?? '' })).status).to.equal(202)

    const other = await setting.client()
    const jobId = await other.enqueue({ url })
    expect((await other.delete(`/v1/jobs/${jobId}`)).status).to.be.oneOf([200, 202, 204])
    for (const jobId of waiting) await me.delete(`/v1/jobs/${jobId}`)
  })
})
