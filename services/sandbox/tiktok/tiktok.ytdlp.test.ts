import { expect } from 'chai'
import { parseTrack } from '#packages/content/captions/parse-track.ts'
import type { Trouble } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import { toldToYtdlp } from '../told.fixture.ts'
import { tryYtdlp } from '../ytdlp.harness.ts'
import { type TikTokVideo, tiktokPhotos, tiktokVideos } from './catalogue.ts'
import { tiktokSites } from './site.ts'

/** The message of yt-dlp for each trouble, and our error code for it. */
const refusals: Partial<Record<Trouble, [message: RegExp, code: string]>> = {
  private: [/You do not have permission to view this post/, 'video_private'],
  deleted: [/Video not available, status code \d+/, 'video_unavailable'],
  age_restricted: [/may not be comfortable for some audiences/, 'age_restricted'],
  // yt-dlp uses TikTok's number for both reasons: the message does not say "country".
  geo_blocked: [/Your IP address is blocked/, 'platform_blocked'],
  login_required: [/TikTok is requiring login/, 'platform_blocked'],
  rate_limited: [/HTTP Error 429/, 'platform_blocked'],
  bot_check: [/Unexpected response from webpage request/, 'platform_blocked'],
}

// yt-dlp alone knows only one browser. tiktok.reader.test.ts has the others.
const plays = tiktokVideos.filter(({ trouble, creator }) => trouble === undefined && creator.gate !== 'newest_chrome')
const [first] = plays as [TikTokVideo]
const unnamed = { id: 'unnamed', url: `https://www.tiktok.com/@_/video/${first.id}` }
const short = { id: 'short', url: `https://vm.tiktok.com/${first.shortCode}/` }

const wishOf = (video: TikTokVideo) => ({
  id: video.id,
  url: video.url,
  captions: video.trouble ? [] : video.captions.map(({ language }) => ['subtitles', language, 'vtt'] as never),
  formats: video.trouble || video.pictures ? [] : ['download', 'audio'],
})

describe('the sandbox’s TikTok, read by the real yt-dlp', function () {
  this.timeout(60_000)
  const harness = tryYtdlp({
    sites: tiktokSites,
    wishes: [...[...tiktokVideos, ...tiktokPhotos].map(wishOf), unnamed, short],
    videos: tiktokVideos,
    refusals,
  })
  const { infoOf, readOf } = harness

  it('plays every video that has no trouble, with all its information', () => {
    for (const video of plays)
      expect(infoOf(video.id)).to.deep.include({
        ...toldToYtdlp(video),
        id: video.id,
        description: video.description,
        channel: video.creator.name,
        uploader: video.creator.handle,
        view_count: video.views,
        repost_count: video.shares,
        duration: Math.floor(secondsOf(video.film)),
        webpage_url: video.url,
      })
  })

  it('cuts long titles, so our titles are the descriptions', () => {
    expect(first.description).to.not.equal(infoOf(first.id).title)
    expect(first.description.startsWith(infoOf(first.id).title.slice(0, 60))).to.equal(true)
  })

  it('lists film, watermarked film and music, and serves their bytes', () => {
    for (const video of plays) {
      const { film } = harness.films[video.film]
      const kinds = infoOf(video.id).formats.map((one: { format_id: string }) => one.format_id.replace(/_\d.*$/, ''))
      expect(kinds).to.have.members(['audio', 'download', 'h264', 'h264'])
      const sizes = infoOf(video.id).formats.flatMap((one: { filesize?: number }) => one.filesize ?? [])
      expect(sizes).to.deep.equal([film.body.length, film.body.length])
      const { formats } = readOf(video.id)
      expect(formats).to.deep.equal([film.body.length, harness.films[video.music ?? video.film].m4a.body.length])
    }
  })

  it('gives every caption track, in TikTok’s WebVTT', async () => {
    for (const video of plays) {
      const { captions } = readOf(video.id)
      expect(Object.keys(infoOf(video.id).subtitles)).to.have.members(video.captions.map(({ language }) => language))
      for (const [index, track] of video.captions.entries()) {
        const text = captions[index] as string
        expect(text).to.match(/^WEBVTT\n\n\n\d/)
        const cues = await parseTrack(text, 'vtt')
        expect(cues.map((cue) => cue.text)).to.deep.equal(track.cues.map((cue) => cue.text))
      }
    }
  })

  it('finds a video without the name of its creator, and by a short link', () => {
    for (const { id } of [unnamed, short]) expect(infoOf(id)).to.include({ id: first.id, channel: first.creator.name })
  })

  it('has only sound for a post of pictures', () => {
    for (const { id } of tiktokPhotos)
      expect(infoOf(id).formats.map((one: { format_id: string }) => one.format_id)).to.deep.equal(['audio'])
  })
})
