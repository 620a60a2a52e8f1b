import type { CatalogueVideo } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import type { SandboxAnswer, Site } from '../site.ts'
import { type Found, find } from './query.ts'

const PAGE = 20

/** An operator's SearXNG with `json` among its formats. It is an inside server, at the sandbox's own address. */
export const searxngSite = (videos: readonly CatalogueVideo[]): Site => ({
  hosts: ['127.0.0.1'],
  answer: ({ url }) => {
    if (url.pathname !== '/search') return undefined
    if (url.searchParams.get('format') !== 'json') return { status: 403, body: 'Forbidden' }
    const query = url.searchParams.get('q') ?? ''
    const from = (Number(url.searchParams.get('pageno') ?? 1) - 1) * PAGE
    const isOfVideos = url.searchParams.get('categories') === 'videos'
    return found(query, isOfVideos ? find(query, videos).slice(from) : [])
  },
})

const found = (query: string, all: Found[]): SandboxAnswer => ({
  status: 200,
  body: {
    query,
    number_of_results: 0,
    results: all.slice(0, PAGE).map(resultOf),
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [],
  },
})

function resultOf({ url, title, video }: Found, index: number): object {
  const { hostname, pathname, search } = new URL(url)
  return {
    url,
    title,
    content: video?.description ?? '',
    engine: 'brave.videos',
    template: 'videos.html',
    parsed_url: ['https', hostname, pathname, '', search.slice(1), ''],
    img_src: '',
    thumbnail: video ? `https://imgs.search.brave.com/${video.id}` : '',
    priority: '',
    engines: ['brave.videos'],
    positions: [index + 1],
    score: 1 / (index + 1),
    category: 'videos',
    publishedDate: video ? video.published.replace(/(\.\d+)?Z$/, '') : null,
    ...(video && { author: video.creator.name, views: String(video.views), length: Math.floor(secondsOf(video.film)) }),
  }
}
