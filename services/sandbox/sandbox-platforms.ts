import { platformNames, type SocialPlatform } from '#packages/platforms/registry.ts'
import type { CatalogueVideo } from './catalogue.ts'
import { facebookVideos } from './facebook/catalogue.ts'
import { facebookSites } from './facebook/site.ts'
import { instagramVideos } from './instagram/catalogue.ts'
import { instagramSites } from './instagram/site.ts'
import type { Media } from './media.ts'
import type { Site } from './site.ts'
import { tiktokVideos } from './tiktok/catalogue.ts'
import { tiktokSites } from './tiktok/site.ts'
import { xVideos } from './x/catalogue.ts'
import { xSites } from './x/site.ts'
import { youtubeVideos } from './youtube/catalogue.ts'
import { youtubeSites } from './youtube/site.ts'

/** The sandbox of one platform. */
type SandboxPlatform = { sites(media: Media): Site[]; videos: readonly CatalogueVideo[] }

export const sandboxPlatforms: Readonly<Record<SocialPlatform, SandboxPlatform>> = {
  youtube: { sites: youtubeSites, videos: youtubeVideos },
  tiktok: { sites: tiktokSites, videos: tiktokVideos },
  instagram: { sites: instagramSites, videos: instagramVideos },
  x: { sites: xSites, videos: xVideos },
  facebook: { sites: facebookSites, videos: facebookVideos },
}

/** The whole catalogue. */
export const everyVideo: readonly CatalogueVideo[] = platformNames.flatMap((name) => sandboxPlatforms[name].videos)
