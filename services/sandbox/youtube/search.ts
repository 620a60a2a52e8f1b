import type { CatalogueVideo } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import { findVideos } from '../find-videos.ts'
import { youtubeVideos } from './catalogue.ts'
import { continuationOf } from './continuation.ts'

const PAGE = 20
const found = new Set<CatalogueVideo['trouble']>([
  undefined,
  'live',
  'captions_need_token',
  'captions_withheld',
  'age_restricted',
])

/** The answer of `POST /youtubei/v1/search`: a page of twenty results, and a token for the next one. */
export function searchResponse(query: string, from: number, now: Date): object {
  const all = findVideos(youtubeVideos, query).filter(({ trouble }) => found.has(trouble))
  const page = all.slice(from, from + PAGE).map((video) => ({ videoRenderer: rendererOf(video, now) }))
  const token = from + PAGE < all.length ? [continuationOf({ q: query, f: from + PAGE }, 'SEARCH')] : []
  const contents = [{ itemSectionRenderer: { contents: page, trackingParams: 'CDAQuy8YACITsandbox' } }, ...token]
  const head = {
    responseContext: { visitorData: 'CgtzYW5kYm94VmlzaSiAgICABg%3D%3D' },
    estimatedResults: String(all.length),
  }
  if (from > 0) {
    const appendContinuationItemsAction = { continuationItems: contents, targetId: 'search-feed' }
    return { ...head, onResponseReceivedCommands: [{ appendContinuationItemsAction }] }
  }
  const primaryContents = { sectionListRenderer: { contents, trackingParams: 'CC4Quy8YACITsandbox' } }
  return { ...head, contents: { twoColumnSearchResultsRenderer: { primaryContents } }, trackingParams: 'CAAQvGkiEw' }
}

/** The query and the place in a token. */
export function fromToken(token: string): { query: string; from: number } {
  const { q: query, f: from } = JSON.parse(Buffer.from(token, 'base64url').toString())
  return { query: String(query), from: Number(from) }
}

function rendererOf(video: CatalogueVideo, now: Date): object {
  const { creator } = video
  const live = video.trouble === 'live'
  const byline = { runs: [{ text: creator.name, navigationEndpoint: channel(video) }] }
  const count = video.views.toLocaleString('en-US')
  const size = (width: number, height: number) => ({
    url: `https://i.ytimg.com/vi/${video.id}/hq720.jpg`,
    width,
    height,
  })
  return {
    videoId: video.id,
    thumbnail: { thumbnails: [size(360, 202), size(720, 404)] },
    title: {
      runs: [{ text: video.title }],
      accessibility: { accessibilityData: { label: `${video.title} ${spoken(video)}` } },
    },
    longBylineText: byline,
    ...(!live && {
      publishedTimeText: { simpleText: ago(video.published, now) },
      lengthText: { accessibility: { accessibilityData: { label: spoken(video) } }, simpleText: clock(video) },
    }),
    viewCountText: live ? { runs: [{ text: count }, { text: ' watching' }] } : { simpleText: viewsOf(video) },
    navigationEndpoint: {
      clickTrackingParams: 'CKYBENwwGAEiEwsandbox',
      commandMetadata: {
        webCommandMetadata: { url: `/watch?v=${video.id}`, webPageType: 'WEB_PAGE_TYPE_WATCH', rootVe: 3832 },
      },
      watchEndpoint: { videoId: video.id },
    },
    ...(live && { badges: [liveBadge] }),
    ...(creator.verified && { ownerBadges: [verifiedBadge] }),
    ownerText: byline,
    shortBylineText: byline,
    trackingParams: 'CKYBENwwGAEiEwsandbox',
    showActionMenu: false,
    detailedMetadataSnippets: [
      {
        snippetText: { runs: [{ text: video.description }] },
        snippetHoverText: { runs: [{ text: 'From the video description' }] },
        maxOneLine: false,
      },
    ],
  }
}

const liveBadge = {
  metadataBadgeRenderer: {
    icon: { iconType: 'LIVE' },
    style: 'BADGE_STYLE_TYPE_LIVE_NOW',
    label: 'LIVE',
    trackingParams: 'CKYBENwwGAEiEwsandbox',
  },
}

const verifiedBadge = {
  metadataBadgeRenderer: {
    icon: { iconType: 'CHECK_CIRCLE_THICK' },
    style: 'BADGE_STYLE_TYPE_VERIFIED',
    tooltip: 'Verified',
    trackingParams: 'CKYBENwwGAEiEwsandbox',
    accessibilityData: { label: 'Verified' },
  },
}

function channel({ creator }: CatalogueVideo): object {
  const url = `/@${creator.handle}`
  return {
    clickTrackingParams: 'CKYBENwwGAEiEwsandbox',
    commandMetadata: {
      webCommandMetadata: { url, webPageType: 'WEB_PAGE_TYPE_CHANNEL', rootVe: 3611, apiUrl: '/youtubei/v1/browse' },
    },
    browseEndpoint: { browseId: creator.id, canonicalBaseUrl: url },
  }
}

const secondsIn = ({ film }: CatalogueVideo): number => Math.floor(secondsOf(film))
const viewsOf = ({ views }: CatalogueVideo): string =>
  views === 0 ? 'No views' : `${views.toLocaleString('en-US')} ${views === 1 ? 'view' : 'views'}`

const spoken = (video: CatalogueVideo): string => `${secondsIn(video)} seconds`
const clock = (video: CatalogueVideo): string => `0:${String(secondsIn(video)).padStart(2, '0')}`

/** Relative time in YouTube's words. */
function ago(published: string, now: Date): string {
  const days = Math.max(1, Math.floor((now.getTime() - Date.parse(published)) / 86_400_000))
  const [count, unit] =
    days < 30 ? [days, 'day'] : days < 365 ? [Math.floor(days / 30), 'month'] : [Math.floor(days / 365), 'year']
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`
}
