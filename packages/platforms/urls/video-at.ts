import { platformNamed } from '../registry.ts'
import { parseVideoUrl } from './parse-video-url.ts'

/**
 * The URL of a video from an instant on, in whole seconds.
 * @param canonical of the video
 * @returns undefined if its platform has no such links
 */
export function videoAt(canonical: string, seconds: number): string | undefined {
  const video = parseVideoUrl(canonical)
  if (video.kind === 'direct') return `${video.canonical}#t=${seconds}`
  return video.kind === 'video' ? platformNamed(video.platform).urls.at?.(video.canonical, seconds) : undefined
}
