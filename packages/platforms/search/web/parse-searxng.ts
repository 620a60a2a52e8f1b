import { readAll, type Shape } from '../../reading/shape.ts'
import { secondsOfClock, toIsoTime } from '../../reading/times.ts'
import { type Hit, ofWebSearch } from './provider.ts'

/**
 * The videos of an answer of SearXNG. The fields other than URL and title depend on the engine behind it.
 * @throws ShapeError
 */
export const parseSearxng = (answer: Shape): Hit[] => readAll(answer.required('list', 'results'), parseHit)

const parseHit = (hit: Shape): Hit => ({
  ...ofWebSearch,
  url: hit.required('string', 'url'),
  title: hit.expected('string', 'title'),
  author: hit.optional('string', 'author') || null,
  stats: { views: viewsOf(hit), likes: null, comments: null, shares: null },
  duration: lengthOf(hit),
  thumbnail: httpUrl(hit.optional('string', 'thumbnail')),
  createdAt: toIsoTime(hit.optional('string', 'publishedDate')),
})

/** Some engines give digits, others `1.2M`, which is not exact. */
const viewsOf = (hit: Shape): number | null => countOf(hit.optional('text', 'views')?.replaceAll(',', ''))

/** Seconds, or clock format. */
function lengthOf(hit: Shape): number | null {
  const text = hit.optional('text', 'length')
  return countOf(text?.replace(/\.\d+$/, '')) ?? secondsOfClock(text)
}

const countOf = (text: string | undefined): number | null => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : null)

/** Some engines leave it empty, or leave out the scheme. */
function httpUrl(text: string | null): string | null {
  const url = URL.parse(text ?? '', 'https://searxng.invalid')
  return url && /^https?:$/.test(url.protocol) && url.hostname !== 'searxng.invalid' ? url.href : null
}
