import type { CatalogueVideo, Trouble } from './catalogue.ts'
import type { SandboxAnswer, SandboxRequest } from './site.ts'

/** Videos that other pages may embed, although their own pages refuse them. */
const embeddable = new Set<Trouble | undefined>([undefined, 'captions_need_token', 'api_fails'])

/** The site of an oEmbed interface. It answers for the video in the query's `url`. */
export const oembedOf =
  <V extends CatalogueVideo>(
    videos: readonly V[],
    answer: (video: V) => Record<string, string>,
    also: Trouble[] = [],
  ) =>
  ({ url }: SandboxRequest): SandboxAnswer | undefined => {
    const video = videos.find((one) => one.url === url.searchParams.get('url'))
    if (video?.trouble === 'rate_limited') return { status: 429, body: 'Too Many Requests' }
    if (!video || !(embeddable.has(video.trouble) || also.includes(video.trouble as Trouble))) return undefined
    return { status: 200, body: answer(video) }
  }
