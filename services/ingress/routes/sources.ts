import { invalidRequest } from '#packages/errors/service-error.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { parseVideoUrl, type VideoUrl } from '#packages/platforms/urls/parse-video-url.ts'

/** What the ingress asks of the outside, while a caller waits. */
export type Sources = Pick<Platforms, 'metadata' | 'search' | 'profiles' | 'standing'>

/**
 * What a URL leads to; no network is touched.
 * @throws ServiceError invalid_request naming `url`
 */
export function videoOf(url: string): VideoUrl {
  const video = parseVideoUrl(url)
  if (!video.accepted) throw invalidRequest({ path: 'url', message: video.reason })
  return video
}
