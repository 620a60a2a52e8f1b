import { expect } from 'chai'
import { jsonScripts } from '#packages/platforms/site.ts'
import { describeRecorded, recordedJson, recording } from '#test/doubles/recordings.ts'
import type { Trouble } from '../catalogue.ts'
import { at, type Difference, differences, type Exception } from '../honesty.ts'
import { loadMedia, type Media } from '../media.ts'
import { type TikTokVideo, tiktokCreators, tiktokVideos } from './catalogue.ts'
import { profilePage, videoPage } from './page.ts'
import { webVtt } from './web-vtt.ts'

const scope = (page: unknown, name: string): unknown => (at(page, '__DEFAULT_SCOPE__') as Record<string, unknown>)[name]
const recordedScope = (path: string, name: string): unknown => {
  const [page] = jsonScripts(recording(path), '__UNIVERSAL_DATA_FOR_REHYDRATION__')
  return scope(page, name)
}

/** Of what shows nothing only its number was not recorded; yt-dlp names the numbers. */
const shown = (trouble: Trouble | undefined): boolean => trouble === undefined
const classified: Exception[] = [
  {
    path: 'itemInfo.itemStruct.isContentClassified',
    reason: 'no video for adults was recorded; yt-dlp names the field',
  },
]

describeRecorded('the sandbox’s TikTok is honest', () => {
  let media: Media
  before(async () => {
    media = await loadMedia()
  })
  const detailOf = (video: TikTokVideo | undefined): unknown =>
    sent(scope(videoPage(video, { media, token: 'token' }).data, 'webapp.video-detail'))
  const recordedDetail = () =>
    recordedScope('tiktok/video-page.7571863205253778710.trimmed.html', 'webapp.video-detail')

  it('shows nothing on the page of a video that was not recorded', () => {
    for (const video of tiktokVideos.filter(({ trouble }) => shown(trouble)))
      expect(differences(detailOf(video), [recordedDetail()]).map(inWords), video.id).eql([])
  })

  it('shows less, and nothing else, of a video that does not play', () => {
    for (const video of [undefined, ...tiktokVideos.filter(({ trouble }) => !shown(trouble))])
      expect(differences(detailOf(video), [recordedDetail()], { exceptions: classified }).map(inWords)).eql([])
  })

  it('shows nothing on a profile that was not recorded', () => {
    const page = recordedScope('tiktok/profile-page.illojuan.trimmed.html', 'webapp.user-detail')
    const api = { userInfo: recordedJson('tiktok/user-detail.stoolpresidente.json') }
    for (const creator of [undefined, ...tiktokCreators]) {
      const detail = sent(scope(profilePage(creator).data, 'webapp.user-detail'))
      expect(differences(detail, [page, api]).map(inWords), creator?.handle).eql([])
    }
  })

  it('rounds counts where TikTok rounds them', () => {
    const page = recordedScope('tiktok/profile-page.illojuan.trimmed.html', 'webapp.user-detail')
    const own = sent(scope(profilePage(tiktokCreators[0]).data, 'webapp.user-detail'))
    for (const path of ['userInfo.stats.followerCount', 'userInfo.statsV2.followerCount'])
      expect(at(own, path)).equal(at(page, path))
  })

  it('writes captions as they were recorded, two blank lines and all', () => {
    const lines = (text: string) =>
      text.split('\n').map((line) => line.replace(/\d/g, '0').replace(/[^\d:.> -].*/, 'text'))
    const known = lines(recording('captions/tiktok-asr.vtt')).slice(0, 9)
    expect(lines(webVtt(tiktokVideos[0]?.captions[0] as never)).slice(0, 9)).eql(known)
  })

  it(
    'known gap: the page for embedding (/embed/@user), posts of pictures and the numbers of refusals have no recording',
  )
})

const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const inWords = ({ path, problem, seen, recorded }: Difference): string => `${path}: ${problem} (${seen}; ${recorded})`
