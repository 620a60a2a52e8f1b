import { platformNames, type SocialPlatform } from '#packages/platforms/registry.ts'
import type { CatalogueVideo } from './catalogue.ts'
import type { Disturbance } from './disturbance.ts'
import { facebookSandbox } from './facebook/facebook.ts'
import { instagramSandbox } from './instagram/instagram.ts'
import type { Media } from './media.ts'
import type { Site } from './site.ts'
import { tiktokSandbox } from './tiktok/tiktok.ts'
import { xSandbox } from './x/x.ts'
import { youtubeSandbox } from './youtube/youtube.ts'

/** The sandbox of one platform. */
export type SandboxPlatform = {
  sites(media: Media): Site[]
  videos: readonly CatalogueVideo[]
  /** For each field of a video: the disturbances that remove it from the answers. */
  fields: Readonly<Record<string, Disturbance[]>>
}

export const sandboxPlatforms: Readonly<Record<SocialPlatform, SandboxPlatform>> = {
  youtube: youtubeSandbox,
  tiktok: tiktokSandbox,
  instagram: instagramSandbox,
  x: xSandbox,
  facebook: facebookSandbox,
}

/** The whole catalogue. */
export const everyVideo: readonly CatalogueVideo[] = platformNames.flatMap((name) => sandboxPlatforms[name].videos)
