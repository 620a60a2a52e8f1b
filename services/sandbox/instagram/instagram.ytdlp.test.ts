import { expect } from 'chai'
import { failureOfMessage } from '#packages/platforms/ytdlp/failure.ts'
import type { Trouble } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import { readWithYtdlp } from '../real-ytdlp.harness.ts'
import { toldToYtdlp } from '../told.fixture.ts'
import { tryYtdlp } from '../ytdlp.harness.ts'
import { type InstagramPost, instagramPictures, instagramVideos } from './catalogue.ts'
import { instagramSites } from './site.ts'

/** The message of yt-dlp for each trouble, and our error code for it. */
const refusals: Partial<Record<Trouble, [message: RegExp, code: string]>> = {
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
    videos: instagramVideos,
    refusals,
    wishes: posts.map((post) => ({ id: post.id, url: post.url, formats: alone.includes(post) ? FORMATS : [] })),
  })
  const { infoOf, readOf, errorOf } = harness

  const toldOf = (post: InstagramPost) => ({
    ...toldToYtdlp(post),
    description: post.description,
    uploader: post.creator.name,
    channel: post.creator.handle,
  })

  it('plays every video that has no trouble, with all its information', () => {
    for (const post of alone) {
      const info = infoOf(post.id)
      const own = { id: post.id, webpage_url: post.url, duration: secondsOf(post.film) }
      expect(info).to.deep.include({ ...toldOf(post), ...own })
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
      expect(info).to.deep.include({ ...toldOf(post), _type: 'playlist' })
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
