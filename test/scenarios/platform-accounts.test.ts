import { expect } from 'chai'
import type { InstagramProfile, TikTokProfile } from '#contracts/generated/http.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { instagramVideos } from '#services/sandbox/instagram/catalogue.ts'
import { tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { writeCookies } from '#test/doubles/cookie-file.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { OtlpReceiver } from '#test/doubles/otlp/receiver.ts'
import { errorCodeOf } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { videoWhere } from '#test/doubles/service/sandbox-videos.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'

const titled = (videos: readonly CatalogueVideo[], title: string): CatalogueVideo =>
  videoWhere((one) => one.title === title, videos)

describe('gates, profiles and accounts of the platforms', function () {
  this.timeout(120_000)
  const cookies = directoryForAll()
  before(async () => {
    for (const platform of ['tiktok', 'instagram']) await writeCookies(cookies.path, platform)
  })
  const receiver = openedForAll(() => OtlpReceiver.start())
  const setting = openedForAll(() =>
    SandboxSetting.start({
      env: () => ({ ...receiver.env, PLATFORM_COOKIES_DIR: cookies.path, YTDLP_WORKERS: '1' }),
    }),
  )
  const me = madeForAll(() => setting.client())

  /** The end of a job for captions, what it cost, and its warnings. */
  const endOf = async (video: CatalogueVideo) => {
    const before = await me.credits()
    const end = await me.run({ url: video.url, mode: 'native' })
    await setting.rest()
    const { warnings } = await me.read<{ warnings: unknown[] }>(`/v1/jobs/${end.body.jobId}`)
    return { end: errorCodeOf(end) ?? end.body.status, cost: before - (await me.credits()), warnings }
  }
  /** A profile, and what it cost. */
  const profileOf = async <T>(platform: string, username: string) => {
    const before = await me.credits()
    const profile = await me.read<T>(`/v1/${platform}/profile?username=${username}&limit=24`)
    expect(await me.credits()).to.equal(before)
    return profile
  }

  for (const [what, title] of [
    ['behind a proof of work', 'What the toll was for'],
    ['refused to the newest Chrome', 'A clock that runs late'],
    ['for those who signed in', 'For those who signed in'],
  ] as const)
    it(`a video ${what} is transcribed like any other`, async () => {
      const found = await endOf(titled(tiktokVideos, title))
      expect(found).to.deep.equal({ end: 'completed', cost: 1, warnings: [] })
    })

  for (const [what, video, code] of [
    ['TikTok video', titled(tiktokVideos, 'A letter to nobody'), 'video_private'],
    ['Instagram post', titled(instagramVideos, 'A trunk, locked'), 'video_private'],
    ['Instagram post for close friends', titled(instagramVideos, 'For close friends'), 'login_required'],
  ] as const)
    it(`a private ${what} that the operator's account may see fails with ${code} and is refunded`, async () => {
      expect(await endOf(video)).to.deep.equal({ end: code, cost: 0, warnings: [] })
    })

  it('profiles are read past a gate, from the page for embedding, and page first; private ones show no posts', async () => {
    const tiktok = (username: string) => profileOf<TikTokProfile>('tiktok', username)
    for (const username of ['toll.gate', 'old.clocks'])
      expect([(await tiktok(username)).videos.length, (await tiktok(username)).stats.videos]).to.deep.equal([1, 1])
    const shell = await tiktok('paints.by.script')
    expect([shell.videos.length, shell.stats.videos, shell.stats.followers]).to.deep.equal([1, null, 912])
    expect((await tiktok('closed_diary')).videos).to.deep.equal([])
    const instagram = (username: string) => profileOf<InstagramProfile>('instagram', username)
    expect((await instagram('garden.almanac')).videos).to.have.length(12)
    expect((await instagram('locked.attic')).videos).to.deep.equal([])
    expect((await instagram('please_wait_here')).username).to.equal('please_wait_here')
  })

  it('a search reaches YouTube like a browser', async () => {
    const { status } = await me.get('/v1/search?q=sense&platform=youtube&limit=3')
    expect(status).to.equal(200)
  })

  it('none of it is a refusal: no circuit breaker opens, no account rests, and every read is counted with its outcome', async () => {
    expect(await me.read('/ready')).to.deep.include({ status: 'ready', blocked: [] })
    const labels = [names.platform, names.operation, names.outcome]
    const outcomes = () =>
      new Set(receiver.seriesOf(metrics.readDuration).map((series) => labels.map((name) => series[name]).join(' ')))
    const both = ['tiktok', 'instagram'].flatMap((platform) => [
      `${platform} profile ok`,
      `${platform} details video_private`,
    ])
    const wanted = [...both, 'tiktok details ok', 'youtube search ok']
    // The expectation below reports what is missing after that time.
    await until('the reads are exported', () => wanted.every((one) => outcomes().has(one)), { seconds: 40 }).catch(
      () => undefined,
    )
    expect([...outcomes()]).to.include.members(wanted)
    expect([...outcomes()].filter((one) => one.includes('platform_blocked'))).to.deep.equal([])
  })
})
