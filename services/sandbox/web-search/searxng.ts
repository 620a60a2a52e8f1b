import type { CatalogueVideo } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import type { Site } from '../site.ts'
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
    const results = isOfVideos
      ? find(query, videos)
          .slice(from, from + PAGE)
          .map(resultOf)
      : []
    return { status: 200, body: { results } }
  },
})

const resultOf = ({ url, title, video }: Found): object => ({
  url,
  title,
  thumbnail: video ? `https://imgs.search.brave.com/${video.id}` : '',
  publishedDate: video ? video.published.replace(/(\.\d+)?Z$/, '') : null,
  ...(video && { author: video.creator.name, views: String(video.views), length: Math.floor(secondsOf(video.film)) }),
})
