import { platforms } from '../registry.ts'

/**
 * What the workers may read: by yt-dlp the canonical pages of each platform, with the extractors of all, and otherwise
 * pages and interfaces on the platform's own hosts, which are domains.
 */
export const allowed = {
  hosts: Object.fromEntries(platforms.map(({ name, urls }) => [name, [...urls.domains, ...urls.hosts]])),
  pages: Object.fromEntries(platforms.map(({ name, ytdlp }) => [name, ytdlp.pages.source])),
  extractors: platforms.flatMap(({ ytdlp }) => ytdlp.extractors),
}
