import type { CatalogueVideo } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import type { SandboxAnswer, SandboxRequest, Site } from '../site.ts'
import { type Found, find } from './query.ts'

const MAX_COUNT = 50

/** The Brave Search API, in the shape of its documentation (video search, response objects). Any token is accepted. */
export const braveSite = (videos: readonly CatalogueVideo[]): Site => ({
  hosts: ['api.search.brave.com'],
  answer: (request) => (request.url.pathname === '/res/v1/videos/search' ? answer(request, videos) : undefined),
})

function answer({ url, headers }: SandboxRequest, videos: readonly CatalogueVideo[]): SandboxAnswer {
  if (!headers['x-subscription-token'])
    return problem('SUBSCRIPTION_TOKEN_INVALID', 'The subscription token is invalid.')
  const query = url.searchParams.get('q') ?? ''
  const count = Number(url.searchParams.get('count') ?? 20)
  if (query === '' || !(count >= 1 && count <= MAX_COUNT))
    return problem('VALIDATION', 'Unable to validate request parameters')
  const from = Number(url.searchParams.get('offset') ?? 0) * count
  const results = find(query, videos)
    .slice(from, from + count)
    .map(resultOf)
  return { status: 200, body: { results } }
}

const problem = (code: string, detail: string): SandboxAnswer => ({
  status: 422,
  body: { type: 'ErrorResponse', error: { id: 'sandbox', status: 422, code, detail }, time: 0 },
})

function resultOf({ url, title, video }: Found): object {
  if (!video) return { url, title }
  return {
    url,
    title,
    page_age: video.published.replace(/(\.\d+)?Z$/, ''),
    video: {
      duration: `00:${String(Math.floor(secondsOf(video.film))).padStart(2, '0')}`,
      views: video.views,
      creator: video.creator.name,
    },
    thumbnail: { src: `https://imgs.search.brave.com/${video.id}` },
  }
}
