import { platforms } from '../registry.ts'

/**
 * The addresses that workers may read. yt-dlp may read each platform's canonical pages, with all platforms' extractors.
 * Other requests may go to pages and interfaces on the platform's own hosts, given as domains.
 */
export const allowed = {
  hosts: Object.fromEntries(platforms.map(({ name, urls }) => [name, [...urls.domains, ...urls.hosts]])),
  pages: Object.fromEntries(platforms.map(({ name, ytdlp }) => [name, ytdlp.pages.source])),
  extractors: platforms.flatMap(({ ytdlp }) => ytdlp.extractors),
}
