/** What a platform refuses one way and gives another: outcome, credits, header and metric. On the sandbox. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Estimate, VideoMetadata } from '#contracts/generated/http.ts'
import { sessionOf } from '#packages/platforms/reading/route-of.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { clipFormOf, clipIdOf } from '#services/sandbox/youtube/clip-page.ts'
import { startTokenService } from '#services/sandbox/youtube/token-service.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { OtlpReceiver } from '#test/doubles/otlp/receiver.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { troubled, videoWhere } from '#test/doubles/service/sandbox-videos.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'

const cookies = ['c_user\t100001', 'xs\tsecret'].map((pair) => `.facebook.com\tTRUE\t/\tTRUE\t1999999999\t${pair}`)

/** Everything but oEmbed, by platform. */
const ways: Partial<Record<SocialPlatform, { host: string; path?: string }[]>> = {
  youtube: ['/watch', '/youtubei/'].map((path) => ({ host: 'www.youtube.com', path })),
  tiktok: [{ host: 'www.tiktok.com', path: '/@' }],
  instagram: [{ host: 'www.instagram.com' }],
  x: [{ host: 'x.com' }, { host: 'api.x.com' }, { host: 'cdn.syndication.twimg.com' }],
}

describe('second ways to what a platform refuses', function () {
  this.timeout(120_000)
  const receiver = openedForAll(() => OtlpReceiver.start())
  const tokens = openedForAll(startTokenService)
  const directory = directoryForAll()
  const setting = openedForAll(async () => {
    await writeFile(join(directory.path, 'facebook.txt'), ['# Netscape HTTP Cookie File', ...cookies, ''].join('\n'))
    const more = { YOUTUBE_POT_URL: tokens.url, PLATFORM_COOKIES_DIR: directory.path, JOB_WINDOW_SECONDS: '60' }
    return SandboxSetting.start({ sessions: true, env: () => ({ ...receiver.env, ...more }) })
  })

  const metadata = async (me: Client, url: string, more = '') => {
    const { status, text, headers } = await me.metadata(url, more)
    expect(status, text).to.equal(200)
    return { found: JSON.parse(text) as VideoMetadata, incomplete: headers.get('x-metadata-incomplete') }
  }

  it('YouTube: a token of the player, minted through the exit of the job, opens the bot wall', async () => {
    const me = await setting.client()
    const video = troubled('bot_check')
    const jobId = await me.enqueue({ url: video.url, mode: 'native' })
    const { body } = await me.ended(jobId)
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'captions')
    expect(await me.credits()).to.equal(49)
    const minted = tokens.requests.filter(({ content }) => content === video.id)
    const exits = minted.map(({ proxy }) => URL.parse(proxy ?? '')?.username)
    expect(exits).to.include(sessionOf({ owner: jobId, refusals: 0 }))
    const { found, incomplete } = await metadata(me, video.url)
    expect(incomplete).to.equal(null)
    expect(found).to.include({ title: video.title, viewCount: video.views })
  })

  it('YouTube: clips are read from both forms of their page', async () => {
    const me = await setting.client()
    for (const form of ['variable', 'script']) {
      const video = videoWhere((one) => clipFormOf(one) === form && one.trouble === undefined, youtubeVideos)
      const { found } = await metadata(me, `https://www.youtube.com/clip/${clipIdOf(video)}`)
      expect(found).to.include({ title: video.title, viewCount: video.views })
    }
  })

  it('X: a post for which the API fails is read and transcribed from its embedded form', async () => {
    const me = await setting.client()
    const video = troubled('api_fails')
    const { found, incomplete } = await metadata(me, video.url)
    expect(found).to.include({ author: video.creator.name, likeCount: video.likes, viewCount: null })
    expect(incomplete).to.equal(null)
    const { body } = await me.run({ url: video.url, mode: 'generate' })
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'speech')
    expect(await me.credits()).to.equal(45)
  })

  it('Facebook: what is behind the login wall is read with an account, like a browser', async () => {
    const me = await setting.client()
    const video = troubled('login_wall')
    expect((await metadata(me, video.url)).found).to.include({ title: video.title, viewCount: video.views })
    const { body } = await me.run({ url: video.url, mode: 'native' })
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'automatic_captions')
    expect(await me.credits()).to.equal(49)
  })

  for (const platform of Object.keys(ways) as SocialPlatform[])
    it(`${platform}: when all else is refused, oEmbed gives title and author, and a header names the rest`, async () => {
      const me = await setting.client()
      const { url, creator } = everyVideo.findLast((one) => one.platform === platform && !one.trouble) as CatalogueVideo
      using refusing = new DisposableStack()
      for (const way of ways[platform] ?? [])
        refusing.use(setting.sandbox.disturb({ ...way, how: { kind: 'answer', status: 429 } }))
      const { found, incomplete } = await metadata(me, url, '&include=captions')
      expect(found).to.include({ platform, duration: null, viewCount: null, likeCount: null, captions: null })
      expect(found.author).to.be.oneOf([creator.name, creator.handle])
      expect(found.title).to.be.a('string')
      const unread = incomplete?.split(', ') ?? []
      expect(unread).to.include.members(['duration', 'viewCount', 'description', 'publishedAt', 'tags', 'captions'])
      expect(unread).to.deep.equal(Object.entries(found).flatMap(([field, value]) => (value === null ? [field] : [])))
      const estimate = (await me.post('/v1/estimate', { url, mode: 'generate' })).body as Partial<Estimate>
      expect(estimate).to.deep.include({ captions: null, duration: null })
      expect(estimate.failure).to.include({ code: 'platform_blocked' })
      refusing.dispose()
      const whole = await metadata(me, url)
      expect(whole.incomplete).to.equal(null)
      expect(whole.found.duration).to.be.a('number')
      expect(await me.credits()).to.equal(50)
    })

  it('the metric shows reads by oEmbed separately, and what they replace', async () => {
    const seen = (wanted: object) => receiver.seriesOf(metrics.readDuration).some((labels) => isPart(wanted, labels))
    for (const platform of Object.keys(ways)) {
      const of = (operation: string, outcome: string) => ({
        [names.platform]: platform,
        [names.operation]: operation,
        [names.outcome]: outcome,
      })
      await until(
        `the metric shows it for ${platform}`,
        () => seen(of('oembed', 'ok')) && seen(of('details', 'platform_blocked')),
      )
    }
  })

  it('all of this went nowhere but where it should', () => expect(setting.sandbox.refused).to.deep.equal([]))
})

const isPart = (wanted: object, labels: Record<string, unknown>): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value)
