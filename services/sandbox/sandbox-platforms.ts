import { platformNames, type SocialPlatform } from '#packages/platforms/registry.ts'
import type { CatalogueVideo } from './catalogue.ts'
import { facebookSandbox } from './facebook/facebook.ts'
import { instagramSandbox } from './instagram/instagram.ts'
import type { SandboxPlatform } from './sandbox-platform.ts'
import { tiktokSandbox } from './tiktok/tiktok.ts'
import { xSandbox } from './x/x.ts'
import { youtubeSandbox } from './youtube/youtube.ts'

export const sandboxPlatforms: Readonly<Record<SocialPlatform, SandboxPlatform>> = {
  youtube: youtubeSandbox,
  tiktok: tiktokSandbox,
  instagram: instagramSandbox,
  x: xSandbox,
  facebook: facebookSandbox,
}

/** The whole catalogue. */
export const everyVideo: readonly CatalogueVideo[] = platformNames.flatMap((name) => sandboxPlatforms[name].videos)
