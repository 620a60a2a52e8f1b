import { expect } from 'chai'
import { failureOfMessage } from '#packages/platforms/ytdlp/failure.ts'
import type { Trouble } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import { readWithYtdlp } from '../real-ytdlp.harness.ts'
import { tryYtdlp } from '../ytdlp.harness.ts'
import { type InstagramPost, instagramPictures, instagramVideos } from './catalogue.ts'
import { instagramSites } from './site.ts'

/** The message of yt-dlp for each trouble, and our error code for it. */
const said: Partial<Record<Trouble, [message: RegExp, code: string]>> = {
  private: [/only available for registered users who follow this account/, 'video_private'],
  deleted: [/HTTP Error 404/, 'video_unavailable'],
  age_restricted: [/Restricted Video: You must be 18/, 'age_restricted'],
  login_required: [/Instagram sent an empty media response/, 'login_required'],
  rate_limited: [/redirected to the login page/, 'platform_blocked'],
  bot_check: [/HTTP Error 429/, 'platform_blocked'],
}

const plays = instagramVideos.filter(({ trouble }) => trouble === undefined)
const alone = plays.filter(({ kind }) => kind !== 'carousel')
const posts = [...instagramVideos, ...instagramPictures]
/** The ids of the formats: the film with its sound, its picture alone, and its sound alone. */
const FORMATS = ['1', 'dash-17913748483407448vd', 'dash-17913748573407448ad']

describe('the sandbox’s Instagram, read by the real yt-dlp', function () {
  this.timeout(60_000)
  const harness = tryYtdlp({
    sites: instagramSites,
    missing: ['/p/DSandGone01'],
    wishes: posts.map((post) => ({ id: post.id, url: post.url, formats: alone.includes(post) ? FORMATS : [] })),
  })
  const { infoOf, readOf, errorOf } = harness

  const toldOf = (info: Record<string, unknown>) => ({
    description: info.description,
    uploader: info.uploader,
    channel: info.channel,
    likes: info.like_count,
    comments: info.comment_count,
    published: info.timestamp,
  })
  const wantedOf = ({ description, creator, likes, comments, published }: InstagramPost) => ({
    description,
    uploader: creator.name,
    channel: creator.handle,
    likes,
    comments,
    published: Date.parse(published) / 1_000,
  })

  it('plays every video that has no trouble, with all its information', () => {
    for (const post of alone) {
      const info = infoOf(post.id)
      expect({ ...toldOf(info), id: info.id, page: info.webpage_url, duration: info.duration }).to.deep.equal({
        ...wantedOf(post),
        id: post.id,
        page: post.url,
        duration: secondsOf(post.film),
      })
      // Guests see how often a reel plays, but not where yt-dlp expects it.
      expect([info.title, info.view_count]).to.deep.equal([`Video by ${post.creator.handle}`, undefined])
    }
  })

  it('lists the film, and its picture and sound separately, and serves their bytes', () => {
    for (const post of alone) {
      expect(infoOf(post.id).formats.map((one: { format_id: string }) => one.format_id)).to.have.members(FORMATS)
      const { film, picture, m4a } = harness.films[post.film]
      const sizes = [film, picture, m4a].map(({ body }) => body.length)
      expect(readOf(post.id).formats).to.deep.equal(sizes)
    }
  })

  it('returns a carousel as a list of its parts, and fails at pictures among them', () => {
    for (const post of posts.filter(({ kind }) => kind === 'carousel')) {
      if (post.parts.some(({ kind }) => kind === 'picture')) {
        expect(errorOf(post.id)).to.match(/No video formats found/)
        continue
      }
      const { entries, ...info } = infoOf(post.id)
      expect(info._type).to.equal('playlist')
      expect(toldOf(info)).to.deep.equal(wantedOf(post))
      expect(entries.map(({ duration }: { duration: number }) => duration)).to.deep.equal(
        post.parts.map(({ film }) => secondsOf(film)),
      )
    }
  })

  it('finds no video in a picture', () => {
    const [picture] = instagramPictures
    const error = errorOf(picture?.id ?? '')
    expect(error).to.match(/There is no video in this post/)
    expect(failureOfMessage(error).code).to.equal('media_unsupported')
  })

  for (const [trouble, [message, code]] of Object.entries(said))
    it(`refuses a video that is ${trouble} in Instagram’s words: ${code}`, () => {
      for (const { id } of instagramVideos.filter((one) => one.trouble === trouble)) {
        const error = errorOf(id)
        expect(error).to.match(message)
        expect(failureOfMessage(error.replace(/^\w+: /, '')).code).to.equal(code)
      }
    })

  it('is read from its page if the interface refuses', async () => {
    const [post] = alone as [InstagramPost]
    using _refusal = harness.sandbox.disturb({
      host: 'www.instagram.com',
      path: '/api/graphql',
      how: { kind: 'answer', status: 403 },
    })
    const [outcome] = await readWithYtdlp(harness.sandbox, [{ url: post.url }])
    expect(outcome?.info?.id).to.equal(post.id)
  })
})
