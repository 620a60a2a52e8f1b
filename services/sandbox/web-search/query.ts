import type { CatalogueVideo } from '../catalogue.ts'
import { findVideos } from '../find-videos.ts'

/** A result of a search engine: a video of the catalogue, or another page of its site. */
export type Found = { url: string; title: string; video: CatalogueVideo | undefined }

/** Search engines show only public videos. */
const shown = new Set<CatalogueVideo['trouble']>([
  undefined,
  'captions_need_token',
  'captions_withheld',
  'age_restricted',
  'geo_blocked',
])

/** The results for a query with `site:` operators. A result must match one of them. */
export function find(query: string, videos: readonly CatalogueVideo[]): Found[] {
  const sites = [...query.matchAll(/\bsite:([^\s()]+)/g)].map(([, site = '']) => site)
  const words = query.replace(/\bsite:[^\s()]+|\bOR\b|[()]/g, ' ')
  const asked = (url: string) => sites.length === 0 || sites.some((site) => fits(url, site))
  const [best, ...others] = findVideos(videos, words)
    .filter(({ trouble, url }) => shown.has(trouble) && asked(url))
    .map((video): Found => ({ url: video.url, title: video.title, video }))
  if (!best) return []
  const about: Found = { url: `${new URL(best.url).origin}/about`, title: `About ${words.trim()}`, video: undefined }
  return [best, ...(asked(about.url) ? [about] : []), ...others]
}

/** `site:x.com` matches x.com and every name below it. A path after the name is the beginning of a path. */
function fits(url: string, site: string): boolean {
  const { hostname, pathname } = new URL(url)
  const [host = '', ...path] = site.split('/')
  return (hostname === host || hostname.endsWith(`.${host}`)) && pathname.startsWith(`/${path.join('/')}`)
}
