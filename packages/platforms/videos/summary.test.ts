import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { type ScriptedAnswer, type ScriptedRoute, scriptedRoute } from '#test/doubles/scripted-route.ts'
import { PlatformRefusal } from '../breakers/platform-refusal.ts'
import { platformNamed, type SocialPlatform } from '../registry.ts'
import type { VideoInfo } from '../ytdlp/info.ts'
import { toInfo } from '../ytdlp/to-info.ts'
import type { Social } from './create-social.ts'
import { socialOver } from './social.fixture.ts'

const urlOf = (id = 'nvlHourCh01') => `https://www.youtube.com/watch?v=${id}`
const embedded = {
  title: 'A talk',
  author_name: 'A speaker',
  author_url: 'https://www.youtube.com/@speaker',
  thumbnail_url: 'https://i.ytimg.com/a.jpg',
}
/** The fields that pages do not show when they embed a video. */
const unknown = {
  commentCount: null,
  shareCount: null,
  authorId: null,
  description: null,
  publishedAt: null,
  tags: null,
  isLive: null,
}

/** The platform with yt-dlp as its only way. */
const withoutSecond = (name: SocialPlatform) => {
  const { second: _, ...platform } = platformNamed(name)
  return platform
}

describe('the summary of a video', () => {
  let clock: ManualClock
  let failure: StepError
  let found: VideoInfo | undefined
  let answer: ScriptedAnswer
  let route: ScriptedRoute
  let social: Social

  const open = (name: SocialPlatform = 'youtube'): Social => {
    const info = async () => {
      if (found) return found
      throw failure
    }
    return socialOver(withoutSecond(name), { info }, { route, clock, refusals: 1000 })
  }
  beforeEach(() => {
    clock = new ManualClock()
    failure = new PlatformRefusal()
    found = undefined
    answer = { body: embedded }
    route = scriptedRoute(() => answer)
    social = open()
  })

  const reading = { owner: 'request', organization: 'acme', refusals: 0, signal: new AbortController().signal }
  const codeOf = (read: Promise<unknown>) => read.then(() => 'read').catch(({ code }) => code)

  it('is what oEmbed shows if everything else is refused, with null for unknown fields, and names them', async () => {
    expect(await social.summary(urlOf(), { ...reading, include: ['captions', 'chapters'] })).to.deep.equal({
      metadata: {
        title: 'A talk',
        author: 'A speaker',
        platform: 'youtube',
        duration: null,
        viewCount: null,
        likeCount: null,
        thumbnail: 'https://i.ytimg.com/a.jpg',
        ...unknown,
        authorUrl: 'https://www.youtube.com/@speaker',
        captions: null,
        chapters: null,
      },
      missing: ['duration', 'viewCount', 'likeCount', ...Object.keys(unknown), 'captions', 'chapters'],
    })
    const asked = new URL(route.asked[0]?.url ?? '')
    expect([asked.origin + asked.pathname, asked.searchParams.get('url')]).to.deep.equal([
      'https://www.youtube.com/oembed',
      urlOf(),
    ])
  })

  it('is kept for 30 s, unlike metadata, and forgotten with the video', async () => {
    await social.summary(urlOf(), reading)
    await clock.advance(29_000)
    await social.summary(urlOf(), reading)
    expect(route.asked).to.have.lengthOf(1)
    await clock.advance(1_000)
    await social.summary(urlOf(), reading)
    expect(route.asked).to.have.lengthOf(2)
    social.forget(urlOf())
    await social.summary(urlOf(), reading)
    expect(route.asked).to.have.lengthOf(3)
  })

  it('is the refusal if oEmbed refuses too; oEmbed is not asked again after five videos', async () => {
    answer = { status: 429 }
    failure = new PlatformRefusal({ retryAfterSeconds: 7 })
    for (let n = 0; n < 7; n++) {
      const refused = await social.summary(urlOf(`nvlHourCh0${n}`), reading).catch((error: unknown) => error)
      expect(refused).to.equal(failure)
    }
    expect(route.asked).to.have.lengthOf(5)
  })

  it('uses oEmbed for no other failure, and never for a job or an estimate', async () => {
    expect(await codeOf(social.metadata(urlOf(), reading))).to.equal('platform_blocked')
    expect(await codeOf(social.fetch(urlOf(), reading))).to.equal('platform_blocked')
    for (const code of ['video_private', 'login_required', 'upstream_error', 'live_not_ended'] as const) {
      failure = new StepError(code)
      expect(await codeOf(social.summary(urlOf(), reading))).to.equal(code)
    }
    expect(route.asked).to.deep.equal([])
  })

  it('names captions as incomplete if unlisted ones may exist, and they were requested', async () => {
    const warnings = ['[youtube] a: a: There are missing subtitles languages because a PO token was not provided.']
    found = toInfo({ id: 'a', captions: [{ language: 'en', exts: ['json3'] }], warnings })
    const { metadata, missing } = await social.summary(urlOf(), { ...reading, include: ['captions'] })
    expect(metadata.captions).to.have.lengthOf(1)
    expect(missing).to.deep.equal(['captions'])
    expect((await social.summary(urlOf(), reading)).missing).to.deep.equal([])
  })

  it('is read again after 30 s if something may be missing from it', async () => {
    const whole = toInfo({ id: 'a', title: 'whole' })
    const titleOf = async () => (await social.summary(urlOf(), reading)).metadata.title
    found = { ...toInfo({ id: 'a', title: 'partial' }), lacks: { captions: null, formats: 'withheld' } }
    expect(await titleOf()).to.equal('partial')
    found = whole
    await clock.advance(29_000)
    expect(await titleOf()).to.equal('partial')
    await clock.advance(1_000)
    expect(await titleOf()).to.equal('whole')
    found = { ...whole, title: 'later' }
    await clock.advance(500_000)
    expect(await titleOf()).to.equal('whole')
  })

  it('is the refusal of a platform without a keyless oEmbed', async () => {
    const url = 'https://www.facebook.com/watch/?v=1400000000000101'
    expect(await codeOf(open('facebook').summary(url, reading))).to.equal('platform_blocked')
    expect(route.asked).to.deep.equal([])
  })
})
