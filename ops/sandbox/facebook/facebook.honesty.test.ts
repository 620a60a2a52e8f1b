import { expect } from 'chai'
import { describeRecorded, recordedJson, recording } from '#test/doubles/recordings.ts'
import { at, type Difference, differences, type Exception } from '../honesty.ts'
import { loadMedia, type Media } from '../media.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { dashManifest } from './files.ts'
import { type VideoPageData, videoPage } from './video-page.ts'

const byYtdlp = 'no reel was recorded as it came; yt-dlp names the field'
const reelExceptions: Exception[] = [
  { path: 'creation_story.creation_time', reason: byYtdlp },
  { path: 'creation_story.message', reason: byYtdlp },
  { path: 'creation_story.message.text', reason: byYtdlp },
  { path: 'creation_story.short_form_video_context', reason: 'its parts are compared below' },
  { path: 'creation_story.short_form_video_context.*', reason: 'as above' },
]

const storyExceptions: Exception[] = [
  { path: 'feedback.likers', reason: byYtdlp },
  { path: 'feedback.likers.count', reason: byYtdlp },
  { path: 'feedback.share_count_reduced', reason: byYtdlp },
]

describeRecorded('the sandbox’s Facebook is honest', () => {
  let media: Media
  /** A video as it was recorded in 2022 and 2024. */
  let videos: unknown[]

  before(async () => {
    media = await loadMedia()
    const page = relayed(recording('facebook/video-page.derived.1522700938072473.html'))
    videos = [at(page[0], 'video'), at(recordedJson('facebook/apify-video.557432290400735.json'), '0')]
    expect(videos).not.include(undefined)
  })

  const pageOf = (video: FacebookVideo) => {
    const page = videoPage(video, media)
    return { html: page.render(page.data), data: JSON.parse(JSON.stringify(page.data)) as VideoPageData }
  }
  const plays = facebookVideos.filter(({ trouble }) => trouble === undefined)

  it('describes a video with nothing that was not recorded', () => {
    for (const video of plays) {
      const found = differences(pageOf(video).data.video, videos, { exceptions: reelExceptions })
      expect(found.map(inWords), video.id).eql([])
    }
  })

  it('describes the video of a reel, and its owner, as other videos are described', () => {
    for (const video of plays.filter(({ shown }) => shown === 'reel')) {
      const context = at(pageOf(video).data.video, 'creation_story.short_form_video_context')
      expect(differences(at(context, 'playback_video'), videos).map(inWords)).eql([])
      expect(differences({ owner: at(context, 'video_owner') }, videos).map(inWords)).eql([])
    }
  })

  it('counts what is said to a video as it was recorded', () => {
    for (const video of plays) {
      const { story } = pageOf(video).data
      const known = { url: video.url, feedback: at(recordedJson('facebook/apify-video.557432290400735.json'), '0') }
      const found = differences({ ...story, attachments: undefined }, [{ ...known, attachments: null }], {
        exceptions: [...storyExceptions, { path: 'attachments', reason: 'below' }],
      })
      expect(found.map(inWords), video.id).eql([])
    }
  })

  it('wraps the data as the recorded page wraps it', () => {
    const recordedPage = scripts(recording('facebook/video-page.derived.1522700938072473.html'))
    for (const video of plays) {
      const { html, data } = pageOf(video)
      expect(relayed(html)).eql([{ video: data.video }, data.story])
      const [first] = scripts(html)
      expect(differences(withoutData(first), recordedPage.map(withoutData)).map(inWords)).eql([])
    }
  })

  it('lists sound and picture in elements and attributes that were recorded', () => {
    const known = new Set(wordsOf(String(at(videos[1], 'videoDeliveryLegacyFields.dash_manifest_xml_string'))))
    const [video] = plays as [FacebookVideo]
    const unknown = wordsOf(dashManifest(video, media)).filter((word) => !known.has(word))
    expect([...new Set(unknown)]).eql([])
  })
})

/** The data of the scripts of a page. */
const scripts = (html: string): unknown[] =>
  [...html.matchAll(/data-sjs>(.+?)<\/script>/g)].map(([, json = '']) => JSON.parse(json))

const BOX = 'require.0.3.0.__bbox.require.0.3.1.__bbox.result'
const relayed = (html: string): unknown[] => scripts(html).map((script) => at(script, `${BOX}.data`))

function withoutData(script: unknown): unknown {
  const copy = structuredClone(script)
  Object.assign(at(copy, BOX) as object, { data: null })
  return copy
}

/** Names of elements and attributes. */
const wordsOf = (xml: string): string[] => xml.match(/(?<=<)\w+|\w+(?==")/g) ?? []

const inWords = ({ path, problem, seen, recorded }: Difference): string => `${path}: ${problem} (${seen}; ${recorded})`
