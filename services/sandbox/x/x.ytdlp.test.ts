import { expect } from 'chai'
import { failureOfMessage } from '#packages/platforms/ytdlp/failure.ts'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import type { Trouble } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import { type Exception, expectHonest } from '../honesty.fixture.ts'
import { readWithYtdlp } from '../real-ytdlp.harness.ts'
import { toldToYtdlp } from '../told.fixture.ts'
import { tryYtdlp } from '../ytdlp.harness.ts'
import { type Post, textPost, xVideos } from './catalogue.ts'
import { xShapes } from './shapes.fixture.ts'
import { xSites } from './site.ts'

/** The message of yt-dlp for each trouble, and our error code for it. */
const refusals: Partial<Record<Trouble, [message: RegExp, code: string]>> = {
  private: [/You are not authorized to view this protected tweet/, 'video_private'],
  deleted: [/This Post was deleted by the Post author/, 'video_unavailable'],
  age_restricted: [/NSFW tweet requires authentication/, 'age_restricted'],
  geo_blocked: [/has been withheld in Germany/, 'geo_blocked'],
  rate_limited: [/HTTP Error 429/, 'platform_blocked'],
}

/** The keys of yt-dlp's dictionary that our reader uses. yt-dlp computes the others itself. */
const taken = [
  ...['id', 'display_id', 'title', 'description', 'uploader', 'duration', 'view_count', 'like_count'],
  ...['comment_count', 'repost_count', 'thumbnail', 'timestamp', 'upload_date', 'formats', 'subtitles'],
]
const reason = 'the recording has no sound in pieces of its own'
const notRecorded: Exception[] = ['format_note', 'language', 'source_preference'].map((name) => ({
  path: `formats.*.${name}`,
  reason,
}))

const plays = xVideos.filter(({ trouble }) => trouble === undefined)
const [captioned, , several] = plays as [Post, Post, Post]
const unknown = { id: '2063591802270650369', url: 'https://x.com/nightkettle/status/2063591802270650369' }

const wishOf = ({ id, url, trouble, more }: Post) => ({
  id,
  url,
  formats: trouble || more ? [] : ['http-256', 'http-832'],
})

describe('the sandbox’s X, read by the real yt-dlp', function () {
  this.timeout(60_000)
  const harness = tryYtdlp({
    sites: xSites,
    wishes: [...xVideos.map(wishOf), textPost, unknown],
    videos: xVideos,
    refusals,
  })
  const { infoOf, readOf, errorOf } = harness
  /** The first video of a post. */
  const firstOf = (post: Post) => infoOf(post.id).entries?.[0] ?? infoOf(post.id)

  it('plays every video that has no trouble, with all its information', () => {
    for (const post of plays) {
      const info = infoOf(post.id)
      const { title, duration, display_id } = firstOf(post)
      expect({ ...info, title, duration, display_id: display_id ?? info.id }, post.id).to.deep.include({
        ...toldToYtdlp(post),
        title: titleOf(post),
        description: `${post.description.replace('&', '&amp;')} https://t.co/${info.description.slice(-10)}`,
        uploader: post.creator.name,
        uploader_id: post.creator.handle,
        display_id: post.id,
        view_count: post.views,
        repost_count: post.shares,
        duration: secondsOf(post.film),
      })
    }
  })

  it('lists a file and segments for each size, and serves the bytes', () => {
    for (const post of plays) {
      const ids = firstOf(post).formats.map((one: { format_id: string }) => one.format_id)
      expect(ids, post.id).to.have.members([
        ...['http-256', 'http-832', 'hls-256', 'hls-832'],
        ...['hls-audio-32000-Audio', 'hls-audio-64000-Audio'],
      ])
      if (post.more) continue
      const size = harness.films[post.film].film.body.length
      expect(readOf(post.id).formats).to.deep.equal([size, size])
    }
  })

  it('names the captions in the playlist only', () => {
    for (const post of plays) {
      const { subtitles, automatic_captions: automatic } = firstOf(post)
      expect(Object.keys(subtitles ?? {})).to.deep.equal(post.captions.map(({ language }) => language))
      expect(automatic ?? {}).to.deep.equal({})
    }
  })

  it('has all videos of a post with several', () => {
    const { _type: type, entries } = infoOf(several.id)
    expect([type, entries.length]).to.deep.equal(['playlist', 2])
    expect(new Set(entries.map(({ id }: { id: string }) => id)).size).to.equal(2)
  })

  it('fails by its API for some posts; yt-dlp reports a post without a video, or a change', () => {
    const errors = xVideos.filter(({ apiError }) => apiError !== undefined).map(({ id }) => errorOf(id))
    expect(errors).to.have.lengthOf(2)
    expect(errors[0]).to.match(/No video could be found in this tweet/)
    expect(errors[1]).to.match(/querying API: Dependency: Internal error/)
  })

  it('has no video in a post of text, nor for an unknown id', () => {
    for (const { id } of [textPost, unknown]) {
      const error = errorOf(id)
      expect(error).to.match(/No video could be found in this tweet/)
      expect(failureOfMessage(error).code).to.equal('video_unavailable')
    }
  })

  it('shows embedded posts, without views, if its API refuses', async () => {
    using _refusal = harness.sandbox.disturb({ host: 'x.com', how: { kind: 'answer', status: 429 } })
    const [outcome] = await readWithYtdlp(harness.sandbox, [{ url: captioned.url }])
    const { view_count: views, uploader, like_count: likes, formats, subtitles } = outcome?.info ?? {}
    expect({ views, uploader, likes, formats: formats.length, captions: Object.keys(subtitles) }).to.deep.equal({
      views: null,
      uploader: captioned.creator.name,
      likes: captioned.likes,
      formats: 6,
      captions: ['en', 'es'],
    })
  })

  it('gives a dictionary with the keys of the real site', () => {
    const info = Object.fromEntries(Object.entries(infoOf(captioned.id)).filter(([name]) => taken.includes(name)))
    expect(Object.keys(info)).to.have.members(taken)
    expectHonest(info, [xShapes.info], { exceptions: notRecorded, keyed: ['subtitles'] })
  })

  describeRecorded('what yt-dlp makes of X', () => {
    it('has the fields that it read from a recording', () => {
      expectHonest(xShapes.info, [recordedJson('ytdlp-J/x.json')], { keyed: ['subtitles'] })
    })
  })
})

/** yt-dlp's title: at most 72 letters of the post's text, and a number if there are several videos. */
function titleOf({ creator, description, more }: Post): string {
  const words = description.replace('&', '&amp;')
  const cut = words.length > 72 ? `${words.slice(0, 69)}...` : words
  return `${creator.name} - ${cut}${more ? ' #1' : ''}`
}
