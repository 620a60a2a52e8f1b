import { readAll, type Shape } from '../../reading/shape.ts'
import { secondsOfClock, toIsoTime } from '../../reading/times.ts'
import { type Hit, ofWebSearch } from './provider.ts'

/**
 * The videos of an answer of Brave's `videos/search`. Only URL and title are guaranteed for each.
 * @throws ShapeError
 */
export const parseBrave = (answer: Shape): Hit[] => readAll(answer.required('list', 'results'), parseHit)

const parseHit = (hit: Shape): Hit => ({
  ...ofWebSearch,
  url: hit.required('string', 'url'),
  title: hit.expected('string', 'title'),
  author: hit.optional('string', 'video', 'creator') ?? hit.optional('string', 'video', 'author', 'name'),
  stats: { views: hit.optional('count', 'video', 'views'), likes: null, comments: null, shares: null },
  duration: secondsOfClock(hit.optional('string', 'video', 'duration')),
  thumbnail: hit.optional('string', 'thumbnail', 'src'),
  createdAt: toIsoTime(hit.optional('string', 'page_age')),
})
