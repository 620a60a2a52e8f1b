import type { CatalogueVideo, Trouble } from '#services/sandbox/catalogue.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'

/** The platforms of the sandbox. */
export const platforms = [...new Set(everyVideo.map(({ platform }) => platform))]

/** The first video that fits. @throws Error if the sandbox has none */
export function videoWhere(fits: (video: CatalogueVideo) => unknown, videos = everyVideo): CatalogueVideo {
  const video = videos.find(fits)
  if (video === undefined) throw new Error(`the sandbox has no video where ${fits}`)
  return video
}

/** The first video with a trouble, of any platform. @throws Error if the sandbox has none */
export const troubled = (trouble: Trouble): CatalogueVideo => videoWhere((video) => video.trouble === trouble)

/** The first video of a platform that plays. @throws Error if the sandbox has none */
export const playing = (platform: string): CatalogueVideo =>
  videoWhere((video) => video.platform === platform && video.trouble === undefined)
