import { expect } from 'chai'
import { parseTrack } from '#packages/content/captions/parse-track.ts'
import { meaningOf } from '#packages/platforms/ytdlp/warnings.ts'
import { describeRecorded, recordedJson } from '#test/doubles/recordings.ts'
import type { Trouble } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import { type Exception, expectHonest } from '../honesty.fixture.ts'
import { toldToYtdlp } from '../told.fixture.ts'
import { tryYtdlp } from '../ytdlp.harness.ts'
import { type YouTubeVideo, youtubeVideos } from './catalogue.ts'
import { clipIdOf } from './clip-page.ts'
import { youtubeShapes } from './shapes.fixture.ts'
import { youtubeSites } from './site.ts'

/** The caption formats that our own parser reads. */
const formats = ['json3', 'srv1', 'srv3', 'ttml', 'vtt']

/** The message of yt-dlp for each trouble, as in our table of messages. */
const refusals: Partial<Record<Trouble, [RegExp]>> = {
  private: [/This video is private/],
  deleted: [/This video is unavailable/],
  age_restricted: [/confirm your age/],
  geo_blocked: [/not made this video available in your country/],
  members_only: [/members on level/],
  bot_check: [/not a bot/],
  bot_check_but_android: [/not a bot/],
  bot_check_interstitial: [/not a bot/],
  private_interstitial: [/Private video/],
  other_video: [/IP is likely being blocked/],
  needs_reload: [/page needs to be reloaded/],
  login_required: [/Please sign in/],
  upcoming: [/This live event will begin in/],
  rate_limited: [/Failed to extract any player response/],
}

const reason = 'the recording was made without the watch page, which is where yt-dlp finds it'
const notRecorded: Exception[] = [
  'categories.*',
  'chapters',
  'chapters.*',
  ...['start_time', 'end_time', 'title'].map((name) => `chapters.*.${name}`),
  'heatmap',
  'like_count',
  'channel',
  'channel_follower_count',
  'channel_is_verified',
  'creators',
].map((path) => ({ path, reason }))

const keyed = ['subtitles', 'automatic_captions']

const [first] = youtubeVideos as [YouTubeVideo]

const wishOf = (video: YouTubeVideo) => {
  const kinds = video.captions.map(({ language, kind }): [string, string] =>
    kind === 'automatic' ? ['automatic_captions', `${language}-orig`] : ['subtitles', language],
  )
  const captions = kinds.flatMap(([kind, language]) => formats.map((ext) => [kind, language, ext]))
  const same = /page \d/.test(video.title)
  const unread = same || video.trouble === 'captions_withheld'
  return {
    id: video.id,
    url: video.url,
    captions: (unread ? [] : captions) as [],
    formats: video.trouble ? [] : ['18'],
  }
}

const clip = { id: clipIdOf(first), url: `https://www.youtube.com/clip/${clipIdOf(first)}` }

describe('the sandbox’s YouTube, read by the real yt-dlp', function () {
  this.timeout(60_000)
  const harness = tryYtdlp({
    sites: youtubeSites,
    wishes: [...youtubeVideos.map(wishOf), clip],
    videos: youtubeVideos,
    refusals,
  })
  const { infoOf, readOf, outcomeOf } = harness

  const plays = youtubeVideos.filter(({ trouble }) => trouble === undefined)

  it('plays every video that has no trouble, with all its information', () => {
    for (const video of plays)
      expect(infoOf(video.id), video.id).to.deep.include({
        ...toldToYtdlp(video),
        title: video.title,
        description: video.description,
        channel: video.creator.name,
        uploader_id: `@${video.creator.handle}`,
        view_count: video.views,
        duration: Math.floor(secondsOf(video.film)),
        live_status: 'not_live',
        webpage_url: video.url,
      })
  })

  it('shows a clip as a part of its video', () => {
    const { media_type, title, section_start, section_end } = infoOf(clip.id)
    expect([media_type, title, section_start, section_end]).to.deep.equal(['clip', first.title, 1, 3])
  })

  it('lists the streams, and serves their bytes', () => {
    for (const video of plays) {
      const itags = new Set(infoOf(video.id).formats.map((one: { format_id: string }) => one.format_id.split('-')[0]))
      expect([...itags]).to.have.members(['18', '134', '139', '140', '251'])
      const { formats: sizes } = readOf(video.id)
      expect(sizes).to.deep.equal([harness.films[video.film].film.body.length])
    }
  })

  it('gives every caption track in every format, with the same words', async () => {
    for (const video of plays.filter(({ captions, title }) => captions.length > 0 && !/page \d/.test(title))) {
      const { captions } = readOf(video.id)
      expect(captions).to.have.lengthOf(video.captions.length * formats.length)
      for (const [index, track] of video.captions.entries()) {
        const words = wordsOf(track.cues.map(({ text }) => text).join(' '))
        for (const [offset, format] of formats.entries()) {
          const text = captions[index * formats.length + offset] as string
          const cues = await parseTrack(text, format)
          expect(
            wordsOf(cues.map((cue) => cue.text).join(' ')),
            `${video.id} ${track.language} ${format}`,
          ).to.deep.equal(words)
        }
      }
    }
  })

  it('gives the chapters of a video that has some', () => {
    type Chapter = { start_time: number; title: string }
    const chaptersOf = ({ id }: YouTubeVideo) =>
      infoOf(id).chapters?.map(({ start_time, title }: Chapter) => [start_time, title])
    const chaptered = plays.filter(({ chapters }) => chapters)
    expect(chaptered.map(chaptersOf)).to.deep.equal(
      chaptered.map(({ chapters }) => chapters?.map(({ start, title }) => [start, title])),
    )
    expect(chaptersOf(first)).to.equal(undefined)
  })

  it('marks the original sound of a dubbed video', () => {
    const dubbed = youtubeVideos.find(({ dubs }) => dubs) as YouTubeVideo
    const sounds = infoOf(dubbed.id).formats.filter((one: { vcodec: string }) => one.vcodec === 'none')
    const preferences = new Map(sounds.map((one: Record<string, unknown>) => [one.language, one.language_preference]))
    expect([...preferences].sort()).to.deep.equal([
      ['de', -1],
      ['en', 10],
    ])
  })

  it('gives an empty body with 200 for captions that need a proof token', () => {
    const locked = youtubeVideos.find(({ trouble }) => trouble === 'captions_need_token') as YouTubeVideo
    const { captions } = readOf(locked.id)
    expect(new Set(captions)).to.deep.equal(new Set(['']))
  })

  it('lists withheld captions only with a proof token, and yt-dlp warns of it', () => {
    const held = youtubeVideos.find(({ trouble }) => trouble === 'captions_withheld') as YouTubeVideo
    const { info, warnings } = readOf(held.id)
    expect([info.subtitles, info.automatic_captions]).to.deep.equal([{}, {}])
    expect(warnings.map(meaningOf)).to.include('captions_withheld')
  })

  it('answers 429 for a video that is read too often, which yt-dlp shows only as a warning', () => {
    const video = youtubeVideos.find(({ trouble }) => trouble === 'rate_limited') as YouTubeVideo
    expect(outcomeOf(video.id).warnings.join()).to.match(/HTTP Error 429/)
  })

  it('says that a live video is live', () => {
    const video = youtubeVideos.find(({ trouble }) => trouble === 'live') as YouTubeVideo
    expect(infoOf(video.id).live_status).to.equal('is_live')
  })

  it('returns a dictionary with the keys of the real site, and those of the unrecorded page', () => {
    for (const video of plays.slice(0, 3)) {
      expectHonest(infoOf(video.id), [youtubeShapes.info], { exceptions: notRecorded, keyed, of: video.id })
    }
  })

  describeRecorded('what yt-dlp makes of YouTube', () => {
    it('has the fields that it read from a recording', () => {
      expectHonest(youtubeShapes.info, [recordedJson('ytdlp-J/youtube.json')], { keyed })
    })
  })
})

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? []
