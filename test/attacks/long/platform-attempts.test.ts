/** A job asks a platform six times at most, over all its steps, however many pieces an attempt downloads. */
import { expect } from 'chai'
import { MAX_HOST_ATTEMPTS } from '#packages/domain/job/retry.ts'
import { tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { xVideos } from '#services/sandbox/x/catalogue.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'

const busy = { kind: 'answer', status: 503, body: 'Service Unavailable' } as const
const [post, tiktok, youtube] = [xVideos, tiktokVideos, youtubeVideos].map(
  (videos) => videos.find(({ trouble }) => trouble === undefined)?.url ?? '',
)

describe('platforms are not hammered', function () {
  this.timeout(480_000)
  // each refusal comes from another address, so that no circuit breaker opens first
  const setting = openedForAll(() => SandboxSetting.start({ sessions: true }))
  const client = madeForAll(() => setting.client({ plan: 'pro' }))

  const failing = async (url: string | undefined, mode: string, host: string, path?: string) => {
    const order = { host, how: busy, ...(path !== undefined && { path }) }
    const lifted = setting.sandbox.disturb(order)
    const jobId = await client.enqueue({ url: url ?? '', mode })
    return {
      async end() {
        const { body } = await client.ended(jobId)
        lifted[Symbol.dispose]()
        expect(body.status, url).to.equal('failed')
        // On a busy machine the job's window may end before its last attempts.
        const starts = await setting.startsOf(jobId)
        expect(starts.length, `${mode} ${url}`).to.be.within(MAX_HOST_ATTEMPTS - 1, MAX_HOST_ATTEMPTS)
      },
    }
  }

  it('when pages fail, when media fail after the pages were read, and when captions fail before it', async () => {
    const jobs = [
      await failing(tiktok, 'generate', 'www.tiktok.com'),
      await failing(post, 'generate', 'video.twimg.com'),
      await failing(youtube, 'native', 'www.youtube.com', '/api/timedtext'),
    ]
    for (const job of jobs) await job.end()
    expect(await client.credits()).to.equal(2050)
  })
})
