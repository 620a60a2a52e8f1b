import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Reading } from '../../reading/reading.ts'
import { readAll, Shape } from '../../reading/shape.ts'
import { askSite, jsonOf, parseAnswer, type Site, type SiteReport } from '../../reading/site.ts'
import { secondsOfClock, toIsoTime } from '../../reading/times.ts'
import { type Hit, ofWebSearch, type Provider } from './provider.ts'

const site: Site = { platform: 'web-search', operation: 'search', label: 'The Brave Search API' }

const MAX_RESULTS = 20
/** The API has ten pages at most. */
const LAST_PAGE = 9
/** Limits of a query; the API refuses longer ones. */
const MAX_QUERY = { characters: 400, words: 50 }

type BraveOptions = {
  apiKey: string
  routeOf(reading: Reading): EgressRoute
  report: SiteReport
}

/** The Brave Search API. `routeOf` must return the egress route that belongs to no platform. */
export function createBrave({ apiKey, routeOf, report }: BraveOptions): Provider {
  return {
    async search(query, page, reading) {
      const url = new URL('https://api.search.brave.com/res/v1/videos/search')
      url.search = new URLSearchParams({
        q: shortened(query),
        count: String(MAX_RESULTS),
        country: 'ALL',
        ...(page > 0 && { offset: String(page) }),
      }).toString()
      const headers = { accept: 'application/json', 'x-subscription-token': apiKey }
      const answer = await askSite(site, routeOf(reading).egress, url.href, { headers, signal: reading.signal })
      // only the operator can fix this; the API's own text is not passed on
      if (answer.status !== 200)
        throw new StepError('upstream_error', { message: `${site.label} answered ${answer.status}.` })
      const hits = parseAnswer(site, Shape.of('brave', jsonOf(answer.text)), report, parseBrave)
      return { hits, more: hits.length === MAX_RESULTS && page < LAST_PAGE }
    },
  }
}

/** Cuts the end of the query and keeps the `site:` operators at its beginning. */
const shortened = (query: string): string =>
  query.split(/\s+/).slice(0, MAX_QUERY.words).join(' ').slice(0, MAX_QUERY.characters)

/**
 * The videos of an answer of Brave's `videos/search`. Only URL and title are guaranteed for each.
 * @throws ShapeError
 */
const parseBrave = (answer: Shape): Hit[] => readAll(answer.required('list', 'results'), parseHit)

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
