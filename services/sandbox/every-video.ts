import type { CatalogueVideo } from './catalogue.ts'
import { facebookVideos } from './facebook/catalogue.ts'
import { instagramVideos } from './instagram/catalogue.ts'
import { tiktokVideos } from './tiktok/catalogue.ts'
import { xVideos } from './x/catalogue.ts'
import { youtubeVideos } from './youtube/catalogue.ts'

/** The whole catalogue. */
export const everyVideo: readonly CatalogueVideo[] = [
  ...youtubeVideos,
  ...tiktokVideos,
  ...instagramVideos,
  ...xVideos,
  ...facebookVideos,
]
