import { expect } from 'chai'
import { parseTrack } from '#packages/content/captions/parse-track.ts'
import { failureRowOf } from '#packages/platforms/ytdlp/failure.ts'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import type { Trouble } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import { type Exception, expectHonest } from '../honesty.fixture.ts'
import type { YtdlpWish } from '../real-ytdlp.harness.ts'
import { toldToYtdlp } from '../told.fixture.ts'
import { tryYtdlp } from '../ytdlp.harness.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { postUrlsOf } from './post-page.ts'
import { facebookShapes } from './shapes.fixture.ts'
import { facebookSites } from './site.ts'

/** The message of yt-dlp for each trouble, and our error code for it. */
const refusals: Partial<Record<Trouble, [message: RegExp, code: string]>> = {
  private: [/only available for registered users/, 'login_required'],
  login_required: [/only available for registered users/, 'login_required'],
  deleted: [/Facebook said: "The link you followed may have expired/, 'video_unavailable'],
  rate_limited: [/HTTP Error 429/, 'platform_blocked'],
  login_wall: [/Cannot parse data/, 'login_required'],
}

/** The keys of yt-dlp's dictionary that our reader uses. yt-dlp computes the others itself. */
const taken = [
  ...['id', 'title', 'description', 'uploader', 'duration', 'view_count', 'like_count', 'comment_count'],
  ...['repost_count', 'thumbnail', 'timestamp', 'upload_date', 'formats', 'automatic_captions'],
]
const notRecorded: Exception[] = [
  ...['description', 'view_count', 'like_count', 'comment_count', 'repost_count'].map((path) => ({
    path,
    reason: 'the recording was cut to the video; yt-dlp’s own tests have the field',
  })),
  { path: 'automatic_captions.*.name', reason: 'named by the version of yt-dlp that we have' },
]

const keyed = ['automatic_captions']

const plays = facebookVideos.filter(({ trouble }) => trouble === undefined)
const [first] = plays as [FacebookVideo]
const troubled = facebookVideos.find(({ trouble }) => trouble === 'private') as FacebookVideo
const unknown = { id: '1400000000000999', url: 'https://www.facebook.com/watch/?v=1400000000000999' }

const posts = [first, troubled].flatMap((video) => postUrlsOf(video).map((url) => ({ id: url, url })))

const wishOf = ({ id, url, captions, trouble }: FacebookVideo) => ({
  id,
  url,
  captions: captions.map(({ language, kind }) => [
    kind === 'automatic' ? 'automatic_captions' : 'subtitles',
    language,
    'srt',
  ]) as YtdlpWish['captions'] & object,
  formats: trouble ? [] : ['sd', 'hd', `${id}v`, `${id}a`],
})

describe('the sandbox’s Facebook, read by the real yt-dlp', function () {
  this.timeout(60_000)
  const harness = tryYtdlp({
    sites: facebookSites,
    wishes: [...facebookVideos.map(wishOf), ...posts, unknown],
    videos: facebookVideos,
    refusals,
  })
  const { infoOf, readOf, errorOf } = harness

  it('plays every video that has no trouble, with all its information', () => {
    for (const video of plays) {
      const isReel = video.shown === 'reel'
      const pageTitle = `9.7K views · 352 reactions | ${video.title} | ${video.creator.name}`
      expect(infoOf(video.id)).to.deep.include({
        ...toldToYtdlp(video),
        id: video.id,
        title: isReel ? pageTitle : video.title,
        description: video.description,
        // yt-dlp's own tests expect this.
        uploader: isReel
          ? pageTitle.replace('&', '&#x26;').replace('·', '&#xb7;').replace('…', '&#x2026;')
          : video.creator.name,
        uploader_id: video.creator.id,
        view_count: video.views,
        repost_count: video.shares,
        duration: secondsOf(video.film),
      })
    }
  })

  it('plays the video of a post, in its creator’s own page or in a group', () => {
    for (const url of postUrlsOf(first)) {
      const { id, title, uploader, description, view_count, duration } = infoOf(url)
      expect([id, uploader, title, description, view_count, duration]).to.deep.equal([
        first.id,
        first.creator.name,
        first.creator.name,
        first.description,
        first.views,
        secondsOf(first.film),
      ])
    }
    for (const url of postUrlsOf(troubled)) expect(errorOf(url)).to.match(/only available for registered users/)
  })

  it('lists sound and picture, together and apart, and serves their bytes', () => {
    for (const { id, film } of plays) {
      const formats = infoOf(id).formats.map((one: { format_id: string }) => one.format_id)
      expect(formats, id).to.have.members(['sd', 'hd', `${id}v`, `${id}a`])
      const kinds = ['film', 'film', 'picture', 'm4a'] as const
      expect(readOf(id).formats).to.deep.equal(kinds.map((kind) => harness.films[film][kind].body.length))
    }
  })

  it('gives every caption track, with the same words', async () => {
    for (const video of plays) {
      const { captions } = readOf(video.id)
      for (const [index, { cues, language }] of video.captions.entries()) {
        const read = await parseTrack(captions[index] ?? '', 'srt')
        const times = ({ start, end, text }: { start: number; end: number; text: string }) => [start, end, text]
        expect(read.map(times), `${video.id} ${language}`).to.deep.equal(cues.map(times))
      }
    }
  })

  it('has the same page without a video for an unknown id, which raises no alarm', () => {
    expect(failureRowOf(errorOf(unknown.id)))
      .to.include({ code: 'login_required' })
      .and.not.have.property('broken')
  })

  it('gives a dictionary with the keys of the real site', () => {
    const heard = facebookVideos.find(({ captions: [track] }) => track?.kind === 'automatic')
    const all = infoOf(heard?.id ?? '')
    const info = Object.fromEntries(Object.entries(all).filter(([name]) => taken.includes(name)))
    expect(Object.keys(info)).to.have.members(taken)
    expectHonest(info, [facebookShapes.info], { exceptions: notRecorded, keyed })
  })

  describeRecorded('what yt-dlp makes of Facebook', () => {
    it('has the fields that it read from a recording', () => {
      const exceptions = notRecorded.filter(({ path }) => path.startsWith('automatic_captions'))
      const recorded = [recordedJson('ytdlp-J/facebook.json')]
      expectHonest(facebookShapes.info, recorded, { exceptions, keyed })
    })
  })
})
