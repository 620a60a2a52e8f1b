import { invalidRequest } from '#packages/errors/service-error.ts'
import { parseVideoUrl, type VideoUrl } from './parse-video-url.ts'

/**
 * The video that a caller's URL leads to, without network access.
 * @throws ServiceError invalid_request naming `url`
 */
export function videoOf(url: string): VideoUrl {
  const video = parseVideoUrl(url)
  if (!video.accepted) throw invalidRequest({ path: 'url', message: video.reason })
  return video
}
