import type { SearchResult } from '#contracts/generated/http.ts'
import { readAll, type Shape } from '../reading/shape.ts'
import { secondsOfClock, toIsoTime } from '../reading/times.ts'

/**
 * The videos of a search, in YouTube's order.
 * @param searched what `findVideos` made of an answer in English
 * @throws ShapeError
 */
export function parseSearch(searched: Shape): SearchResult[] {
  const answer = searched.required('object', 'answer')
  const sections = answer.required('list', ...sectionsOfPage)
  const videos = searched.required('list', 'videos')
  if (videos.length === 0 && !saysNothingFound(answer, sections)) searched.required('object', 'videos', '0')
  return readAll(videos, parseVideo)
}

const sectionsOfPage = [
  'contents',
  'twoColumnSearchResultsRenderer',
  'primaryContents',
  'sectionListRenderer',
  'contents',
]

/** Tells an answer without videos from one in which the library recognises nothing any more. */
const saysNothingFound = (answer: Shape, sections: Shape[]): boolean =>
  answer.optional('count', 'estimatedResults') === 0 ||
  sections.some((section) =>
    section.optional('list', 'itemSectionRenderer', 'contents')?.some((item) => item.has('backgroundPromoRenderer')),
  )

function parseVideo(video: Shape): SearchResult {
  const id = video.required('string', 'id')
  return {
    platform: 'youtube',
    url: `https://www.youtube.com/watch?v=${id}`,
    title: video.expected('string', 'title'),
    author: video.expected('string', 'author'),
    stats: { views: viewsOf(video.expected('string', 'views')), likes: null, comments: null, shares: null },
    duration: secondsOfClock(video.expected('string', 'length')),
    thumbnail: video.expected('string', 'thumbnail'),
    createdAt: null,
  }
}

/** `15,260 views`, `1 view`, `No views`; a broadcast has `1,071 watching`, which are not views. */
function viewsOf(text: string | null): number | null {
  if (text === 'No views') return 0
  const [, digits] = /^([\d,]+) views?$/.exec(text ?? '') ?? []
  return digits === undefined ? null : Number(digits.replaceAll(',', ''))
}

/**
 * The player's details of a video that a search does not show; null where the video may not be played from here.
 * @param answer of `player`, to the client WEB
 * @throws ShapeError
 */
export function parsePlayer(answer: Shape): { createdAt: string | null; likes: number | null } {
  const plays = answer.optional('string', 'playabilityStatus', 'status') === 'OK'
  const path = ['microformat', 'playerMicroformatRenderer']
  const page = plays ? answer.expected('object', ...path) : answer.optional('object', ...path)
  return {
    createdAt: toIsoTime(page?.expected('string', 'publishDate') ?? null),
    likes: page?.optional('count', 'likeCount') ?? null,
  }
}
