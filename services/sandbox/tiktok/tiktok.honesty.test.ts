import { expect } from 'chai'
import { jsonScripts } from '#packages/platforms/reading/site.ts'
import { describeRecorded, recordedJson, recording } from '#test/doubles/recordings.ts'
import type { Trouble } from '../catalogue.ts'
import { at, type Exception, expectHonest } from '../honesty.fixture.ts'
import { loadMedia, type Media } from '../media.ts'
import { type TikTokVideo, tiktokCreators, tiktokVideos } from './catalogue.ts'
import { profilePage, videoPage } from './page.ts'
import { tiktokShapes } from './shapes.fixture.ts'
import { webVtt } from './web-vtt.ts'

const scope = (page: unknown, name: string): unknown => (at(page, '__DEFAULT_SCOPE__') as Record<string, unknown>)[name]
/** Pages that show nothing are not compared: they have only a number, which yt-dlp names. */
const shown = (trouble: Trouble | undefined): boolean => trouble === undefined
const classified: Exception[] = [
  {
    path: 'itemInfo.itemStruct.isContentClassified',
    reason: 'no video for adults was recorded; yt-dlp names the field',
  },
]

/** The followers of one creator in two places of a page. */
const followers = { 'userInfo.stats.followerCount': 783_400, 'userInfo.statsV2.followerCount': '783427' }

/** The first lines of captions, with 0 for each digit. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, 9)
    .map((line) => line.replace(/\d/g, '0').replace(/[^\d:.> -].*/, 'text'))
const cue = ['00:00:00.000 --> 00:00:00.000', 'text', '']
const captionLines = ['text', '', '', ...cue, ...cue]

describe('the sandbox’s TikTok is honest', () => {
  let media: Media
  before(async () => {
    media = await loadMedia()
  })
  const detailOf = (video: TikTokVideo | undefined): unknown =>
    scope(videoPage(video, { media, token: 'token' }).data, 'webapp.video-detail')

  it('has no key on the page of a video that TikTok does not have', () => {
    for (const video of tiktokVideos.filter(({ trouble }) => shown(trouble)))
      expectHonest(detailOf(video), [tiktokShapes.video], { of: video.id })
  })

  it('has fewer keys, and no others, for a video that does not play', () => {
    for (const video of [undefined, ...tiktokVideos.filter(({ trouble }) => !shown(trouble))])
      expectHonest(detailOf(video), [tiktokShapes.video], { exceptions: classified })
  })

  it('has no key on a profile that TikTok does not have', () => {
    for (const creator of [undefined, ...tiktokCreators.filter(({ profile }) => !profile.endsWith('shell'))]) {
      const detail = scope(profilePage(creator).data, 'webapp.user-detail')
      expectHonest(detail, [tiktokShapes.profile], { of: creator?.handle })
    }
  })

  it('rounds counts in the same places as TikTok', () => {
    const own = scope(profilePage(tiktokCreators[0]).data, 'webapp.user-detail')
    expect(Object.keys(followers).map((path) => at(own, path))).to.deep.equal(Object.values(followers))
  })

  it('writes captions as TikTok does, with two blank lines', () => {
    expect(linesOf(webVtt(tiktokVideos[0]?.captions[0] as never))).to.deep.equal(captionLines)
  })
})

/** Compares the shapes and lines above with the recordings. */
describeRecorded('the shapes match the real TikTok', () => {
  const recordedScope = (path: string, name: string): unknown => {
    const [page] = jsonScripts(recording(path), '__UNIVERSAL_DATA_FOR_REHYDRATION__')
    return scope(page, name)
  }
  const profile = (): unknown => recordedScope('tiktok/profile-page.illojuan.trimmed.html', 'webapp.user-detail')

  it('of the pages of videos and profiles', () => {
    const video = recordedScope('tiktok/video-page.7571863205253778710.trimmed.html', 'webapp.video-detail')
    const api = { userInfo: recordedJson('tiktok/user-detail.stoolpresidente.json') }
    expectHonest(tiktokShapes.video, [video])
    expectHonest(tiktokShapes.profile, [profile(), api])
  })

  it('of counts', () => {
    const page = profile()
    expect(Object.keys(followers).map((path) => at(page, path))).to.deep.equal(Object.values(followers))
  })

  it('of captions', () => {
    expect(linesOf(recording('captions/tiktok-asr.vtt'))).to.deep.equal(captionLines)
  })
})
