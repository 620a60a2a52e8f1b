import { platforms } from '../registry.ts'

/** What yt-dlp may read, for its workers: the canonical pages of each platform, and the extractors of all. */
export const allowed = {
  pages: Object.fromEntries(platforms.map(({ name, ytdlp }) => [name, ytdlp.pages.source])),
  extractors: platforms.flatMap(({ ytdlp }) => ytdlp.extractors),
}
