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
export function searchResponse(query: string, from: number): object {
  const all = findVideos(youtubeVideos, query).filter(({ trouble }) => found.has(trouble))
  const page = all.slice(from, from + PAGE).map((video) => ({ videoRenderer: resultOf(video) }))
  const token = from + PAGE < all.length ? [continuationOf({ q: query, f: from + PAGE })] : []
  const contents = [{ itemSectionRenderer: { contents: page } }, ...token]
  const estimatedResults = String(all.length)
  if (from > 0) {
    const appendContinuationItemsAction = { continuationItems: contents }
    return { estimatedResults, onResponseReceivedCommands: [{ appendContinuationItemsAction }] }
  }
  const primaryContents = { sectionListRenderer: { contents } }
  return { estimatedResults, contents: { twoColumnSearchResultsRenderer: { primaryContents } } }
}

/** The query and the place in a token. */
export function fromToken(token: string): { query: string; from: number } {
  const { q: query, f: from } = JSON.parse(Buffer.from(token, 'base64url').toString())
  return { query: String(query), from: Number(from) }
}

/** A `videoRenderer`: a video in a search, and in the older form of a channel's list. */
export function rendererOf(video: CatalogueVideo): object {
  const isLive = video.trouble === 'live'
  const count = video.views.toLocaleString('en-US')
  return {
    videoId: video.id,
    thumbnail: { thumbnails: [pictureOf(video)] },
    title: { runs: [{ text: video.title }] },
    viewCountText: isLive ? { runs: [{ text: count }, { text: ' watching' }] } : { simpleText: viewsOf(video) },
    ...(!isLive && { lengthText: { simpleText: clock(video) } }),
  }
}

function resultOf(video: CatalogueVideo): object {
  const { creator } = video
  const navigationEndpoint = { browseEndpoint: { browseId: creator.id, canonicalBaseUrl: `/@${creator.handle}` } }
  const byline = { runs: [{ text: creator.name, navigationEndpoint }] }
  return {
    ...rendererOf(video),
    ...(video.trouble === 'live' && { badges: [liveBadge] }),
    ownerText: byline,
    shortBylineText: byline,
  }
}

const liveBadge = { metadataBadgeRenderer: { style: 'BADGE_STYLE_TYPE_LIVE_NOW', label: 'LIVE' } }

export const pictureOf = ({ id }: CatalogueVideo): object => ({
  url: `https://i.ytimg.com/vi/${id}/hq720.jpg`,
  width: 720,
  height: 404,
})

const viewsOf = ({ views }: CatalogueVideo): string =>
  views === 0 ? 'No views' : `${views.toLocaleString('en-US')} ${views === 1 ? 'view' : 'views'}`

export const secondsIn = ({ film }: CatalogueVideo): number => Math.floor(secondsOf(film))
export const clock = (video: CatalogueVideo): string => `0:${String(secondsIn(video)).padStart(2, '0')}`
