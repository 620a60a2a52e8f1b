import { secondsOf } from '../films.ts'
import type { Media } from '../media.ts'
import type { SandboxPage } from '../site.ts'
import type { FacebookVideo } from './catalogue.ts'
import { captionsUrl, dashManifest, fileUrl, pictureUrl } from './files.ts'

export type PageHead = { title: string; description: string; image: string }

/** The data of one page: its head, the video, and the story about it. */
export type VideoPageData = {
  head: PageHead
  video: object
  story: object
}

/** The page of a video for visitors who have not signed in. */
export const videoPage = (video: FacebookVideo, media: Media): SandboxPage => ({
  data: {
    head: { title: pageTitle(video), description: video.description, image: pictureUrl(video) },
    video: video.shown === 'reel' ? reel(video, media) : watched(video, media),
    story: storyOf(video),
  } satisfies VideoPageData,
  render: (data) => {
    const { head, video, story } = data as VideoPageData
    return htmlPage(head, [relayed('adp_CometVideoHomeTahoe', { video }), relayed('adp_CometVideoHomeStory', story)])
  },
})

/** A page with data for its program. */
export function htmlPage(head: PageHead, scripts: readonly string[]): string {
  const properties = Object.entries(head ?? {}).map(
    ([name, value]) => `<meta property="og:${name}" content="${escaped(value)}" />`,
  )
  const title = head?.title === undefined ? '' : `<title>${escaped(head.title)}</title>`
  return `<!DOCTYPE html><html id="facebook"><head><meta charset="utf-8" />${title}${properties.join('')}</head><body>
${scripts.join('\n')}
</body></html>`
}

/** Data for the program of the page, in as many wrappers as Facebook uses. */
export function relayed(name: string, data: object): string {
  const stream = ['RelayPrefetchedStreamCache', 'next', [], [name, { __bbox: { complete: true, result: { data } } }]]
  const server = ['ScheduledServerJS', 'handle', null, [{ __bbox: { require: [stream] } }]]
  const json = JSON.stringify({ require: [server] }).replaceAll('</', '<\\/')
  return `<script type="application/json" data-content-len="${json.length}" data-sjs>${json}</script>`
}

/** Letters beyond ASCII and HTML characters in Facebook's notation: `&#xb7;` */
const escaped = (text: string): string =>
  text.replace(/[&"<>\u0080-\u{10ffff}]/gu, (letter) => `&#x${letter.codePointAt(0)?.toString(16)};`)

/** Reels are shown with their counts and their creator, videos with their title. */
const pageTitle = ({ shown, title, views, likes, creator }: FacebookVideo): string =>
  shown === 'reel'
    ? `${reduced(views)} views · ${reduced(likes)} reactions | ${title} | ${creator.name}`
    : `${title} | Facebook`

const units = [
  { from: 1_000_000, sign: 'M' },
  { from: 1_000, sign: 'K' },
]

/** `9.7K`, `133K` */
function reduced(count: number): string {
  const unit = units.find(({ from }) => count >= from)
  if (!unit) return String(count)
  const amount = count / unit.from
  return `${amount < 10 ? amount.toFixed(1).replace('.0', '') : Math.floor(amount)}${unit.sign}`
}

const publishTime = ({ published }: FacebookVideo): number => Date.parse(published) / 1_000
const owner = ({ creator }: FacebookVideo): object => ({ __typename: 'User', id: creator.id })

/** A video in the form of its own page and of a post. */
export const watched = (video: FacebookVideo, media: Media): object => ({
  ...played(video, media),
  owner: owner(video),
  publish_time: publishTime(video),
  videoId: video.id,
})

/** A reel is a story that has a video. */
function reel(video: FacebookVideo, media: Media): object {
  return {
    __typename: 'Video',
    id: video.id,
    creation_story: {
      creation_time: publishTime(video),
      message: { text: video.description },
      short_form_video_context: { video_owner: owner(video), playback_video: played(video, media) },
    },
  }
}

/** What the player needs. */
function played(video: FacebookVideo, media: Media): object {
  return {
    __typename: 'Video',
    id: video.id,
    preferred_thumbnail: { image: { uri: pictureUrl(video) } },
    video_available_captions_locales: video.captions.map((track) => ({
      localized_creation_method: track.kind === 'automatic' ? 'Auto-generated' : null,
      captions_url: captionsUrl(video, track),
      locale: track.language,
      localized_language: track.label,
    })),
    playable_duration_in_ms: Math.round(secondsOf(video.film) * 1_000),
    videoDeliveryLegacyFields: {
      dash_manifest_xml_string: dashManifest(video, media),
      dash_manifest_url: `https://www.facebook.com/dash_mpd_debug.mpd?v=${video.id}&dummy=.mpd`,
      browser_native_sd_url: fileUrl(video, 'sd'),
      browser_native_hd_url: fileUrl(video, 'hd'),
    },
  }
}

function storyOf(video: FacebookVideo): object {
  const { shown, creator, likes, comments, shares, views } = video
  const media = {
    __typename: 'Video',
    id: video.id,
    title: { text: video.title },
    owner: { ...owner(video), name: creator.name },
    creation_story: { comet_sections: { message: { story: { message: { text: video.description } } } } },
  }
  return {
    url: video.url,
    ...(shown === 'watch' && { attachments: [{ media }] }),
    feedback: {
      likers: { count: likes },
      total_comment_count: comments,
      share_count_reduced: reduced(shares),
      video_view_count_renderer: { feedback: { video_view_count: views } },
    },
  }
}
