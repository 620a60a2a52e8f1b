import type { SearchResult } from '#contracts/generated/http.ts'
import { StaleTokenError } from '../paging/stale-token-error.ts'
import type { SourcePage } from '../paging/take-items.ts'
import { readAll, type Shape } from '../reading/shape.ts'
import { secondsOfClock, toIsoTime } from '../reading/times.ts'
import { channelOf } from './channel-of.ts'
import { viewsIn } from './count-in.ts'
import { keywordsOf } from './keywords-of.ts'
import { nextToken } from './next-token.ts'
import { textOf } from './watch/text-of.ts'

/**
 * The videos of a search, in YouTube's order.
 * @param searched the result of `findVideos` for an answer in English
 * @throws ShapeError
 */
export function parseSearch(searched: Shape): SourcePage<SearchResult> {
  const answer = searched.required('object', 'answer')
  const sections = answer.required('list', ...sectionsOfPage)
  const videos = searched.required('list', 'videos')
  if (videos.length === 0 && !saysNothingFound(answer, sections)) searched.required('object', 'videos', '0')
  return { items: readAll(videos, parseVideo), next: nextToken(sections) }
}

/**
 * A later page of a search.
 * @throws ShapeError; StaleTokenError if YouTube no longer knows its token
 */
export function parseSearchOn(searched: Shape): SourcePage<SearchResult> {
  const answer = searched.required('object', 'answer')
  if (answer.has('error')) throw new StaleTokenError()
  const [command] = answer.required('list', 'onResponseReceivedCommands')
  const sections = (command ?? answer).required('list', 'appendContinuationItemsAction', 'continuationItems')
  return { items: readAll(searched.required('list', 'videos'), parseVideo), next: nextToken(sections) }
}

const sectionsOfPage = [
  'contents',
  'twoColumnSearchResultsRenderer',
  'primaryContents',
  'sectionListRenderer',
  'contents',
]

/** Distinguishes an answer without videos from one in which the library no longer recognises anything. */
const saysNothingFound = (answer: Shape, sections: Shape[]): boolean =>
  answer.optional('count', 'estimatedResults') === 0 ||
  sections.some((section) =>
    section.optional('list', 'itemSectionRenderer', 'contents')?.some((item) => item.has('backgroundPromoRenderer')),
  )

function parseVideo(video: Shape): SearchResult {
  const id = video.required('string', 'id')
  const author = video.expected('string', 'author')
  const channel = channelOf(author === null ? null : video.expected('string', 'authorId'))
  return {
    platform: 'youtube',
    url: `https://www.youtube.com/watch?v=${id}`,
    title: video.expected('string', 'title'),
    author,
    stats: { views: viewsIn(video.expected('string', 'views')), likes: null, comments: null, shares: null },
    duration: secondsOfClock(video.expected('string', 'length')),
    thumbnail: video.expected('string', 'thumbnail'),
    createdAt: null,
    // a result shows only a part of the description
    description: null,
    authorId: channel.id,
    authorUrl: channel.url,
    tags: null,
    isLive: video.optional('boolean', 'isLive'),
  }
}

type PlayerDetails = Pick<SearchResult, 'createdAt' | 'description' | 'tags'> & { likes: number | null }

/**
 * The player's details of a video that a search does not show. Null if the video cannot be played from here.
 * @param answer of `player`, to the client WEB
 * @throws ShapeError
 */
export function parsePlayer(answer: Shape): PlayerDetails {
  const plays = answer.optional('string', 'playabilityStatus', 'status') === 'OK'
  const path = ['microformat', 'playerMicroformatRenderer']
  const page = plays ? answer.expected('object', ...path) : answer.optional('object', ...path)
  return {
    createdAt: toIsoTime(page?.expected('string', 'publishDate') ?? null),
    likes: page?.optional('count', 'likeCount') ?? null,
    description: page ? textOf(page, 'description') : null,
    tags: keywordsOf(answer),
  }
}
