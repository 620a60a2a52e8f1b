import { expect } from 'chai'
import { describeRecorded, recordedJson, recording } from '#test/doubles/recordings.ts'
import { at, type Exception, expectHonest } from '../honesty.fixture.ts'
import { loadMedia, type Media } from '../media.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { dashManifest } from './files.ts'
import { type PostPageData, postPage } from './post-page.ts'
import { facebookShapes } from './shapes.fixture.ts'
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

const ATTACHED = 'styles.attachment.media'
const postExceptions: Exception[] = [
  { path: 'actors', reason: 'the recording is of a list of posts; yt-dlp finds it on the page of one' },
  { path: 'actors.*', reason: 'as above' },
  { path: `comet_sections.content.story.attachments.*.${ATTACHED}`, reason: 'it is compared as a video' },
  { path: `comet_sections.content.story.attachments.*.${ATTACHED}.*`, reason: 'as above' },
]

/** Elements and attributes that Facebook uses to list sound and picture. */
const dashWords = [
  'AdaptationSet',
  'BaseURL',
  'FBDefaultQuality',
  'FBFirstSegmentRange',
  'FBQualityLabel',
  'Initialization',
  'MPD',
  'Period',
  'Representation',
  'SegmentBase',
  'audioSamplingRate',
  'bandwidth',
  'codecs',
  'contentType',
  'duration',
  'encoding',
  'height',
  'id',
  'indexRange',
  'mediaPresentationDuration',
  'mimeType',
  'minBufferTime',
  'profiles',
  'range',
  'subsegmentAlignment',
  'timescale',
  'type',
  'version',
  'width',
  'xmlns',
]

describe('the sandbox’s Facebook is honest', () => {
  let media: Media
  before(async () => {
    media = await loadMedia()
  })

  const pageOf = (video: FacebookVideo) => {
    const page = videoPage(video, media)
    return { html: page.render(page.data), data: JSON.parse(JSON.stringify(page.data)) as VideoPageData }
  }
  const plays = facebookVideos.filter(({ trouble }) => trouble === undefined)

  it('describes a video with no key that Facebook does not have', () => {
    for (const video of plays) {
      expectHonest(pageOf(video).data.video, [facebookShapes.video], { exceptions: reelExceptions, of: video.id })
    }
  })

  it('describes the video of a reel, and its owner, as other videos are described', () => {
    for (const video of plays.filter(({ shown }) => shown === 'reel')) {
      const context = at(pageOf(video).data.video, 'creation_story.short_form_video_context')
      expectHonest(at(context, 'playback_video'), [facebookShapes.video])
      expectHonest({ owner: at(context, 'video_owner') }, [facebookShapes.video])
    }
  })

  it('counts the feedback on a video as Facebook does', () => {
    for (const video of plays) {
      const { story } = pageOf(video).data
      const exceptions = [...storyExceptions, { path: 'attachments', reason: 'below' }]
      expectHonest({ ...story, attachments: undefined }, [facebookShapes.story], { exceptions, of: video.id })
    }
  })

  it('describes a post with no key that Facebook does not have, and its video as other videos', () => {
    for (const video of plays) {
      const { node } = JSON.parse(JSON.stringify(postPage(video, media).data)) as PostPageData
      expectHonest(node, [facebookShapes.post], { exceptions: postExceptions })
      const shown = at(node, `comet_sections.content.story.attachments.0.${ATTACHED}`)
      expectHonest(shown, [facebookShapes.video])
    }
  })

  it('wraps the data as Facebook does', () => {
    for (const video of plays) {
      const { html, data } = pageOf(video)
      expect(relayed(html)).to.deep.equal([{ video: data.video }, data.story])
      const [first] = scripts(html)
      expectHonest(withoutData(first), [facebookShapes.script])
    }
  })

  it('lists sound and picture with elements and attributes that Facebook uses', () => {
    const [video] = plays as [FacebookVideo]
    const unknown = wordsOf(dashManifest(video, media)).filter((word) => !dashWords.includes(word))
    expect([...new Set(unknown)]).to.deep.equal([])
  })
})

/** Compares the shapes and words above with the recordings in 2022 and 2024. */
describeRecorded('the shapes match the real Facebook', () => {
  const page = (): string => recording('facebook/video-page.derived.1522700938072473.html')
  const other = (): unknown => at(recordedJson('facebook/apify-video.557432290400735.json'), '0')

  it('of videos and the feedback on them', () => {
    const videos = [at(relayed(page())[0], 'video'), other()]
    expect(videos).to.not.include(undefined)
    expectHonest(facebookShapes.video, videos)
    expectHonest(facebookShapes.story, [{ url: '', feedback: other() }])
  })

  it('of posts', () => {
    const [posts] = relayed(recording('facebook/page-with-video.2022.trimmed.html'))
    const post = at(posts, 'user.timeline_list_feed_units.edges.0.node')
    expect(post).to.not.equal(undefined)
    expectHonest(facebookShapes.post, [post])
  })

  it('of the page around them', () => {
    expectHonest(facebookShapes.script, scripts(page()).map(withoutData))
  })

  it('of lists of sound and picture', () => {
    const xml = String(at(other(), 'videoDeliveryLegacyFields.dash_manifest_xml_string'))
    expect(wordsOf(xml)).to.include.members(dashWords)
  })
})

/** The data in the scripts of a page. */
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
