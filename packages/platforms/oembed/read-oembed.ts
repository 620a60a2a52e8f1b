import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import { askSite, jsonOf, parseAnswer, type Site, type SiteReport } from '../reading/site.ts'
import type { RegisteredPlatform } from '../registry.ts'
import type { OembedDefinition } from './oembed-definition.ts'

/** What a page that embeds a video shows of it. */
export type Embedded = Pick<VideoMetadata, 'title' | 'author' | 'thumbnail'>

type Options = { report: SiteReport } & { routeOf(reading: Reading): EgressRoute }

const ownName = { 'user-agent': 'video-intelligence-service', accept: 'application/json' }

/**
 * Reads a video from its platform's oEmbed interface, without cookies.
 * @throws StepError `platform_blocked`, `upstream_error`; the signal's reason
 */
export const readOembed =
  ({ name, label }: RegisteredPlatform, oembed: OembedDefinition, { routeOf, report }: Options) =>
  async (canonicalUrl: string, reading: Reading): Promise<Embedded> => {
    const site: Site = { platform: name, operation: 'oembed', label }
    const url = new URL(oembed.endpoint)
    url.searchParams.set('url', canonicalUrl)
    const { signal } = reading
    const headers = { ...ownName, ...oembed.headers }
    const { status, text } = await askSite(site, routeOf(reading).egress, url.href, { headers, signal })
    // 400, 401 and 404: nobody may embed the video, or there is none
    if (status !== 200) throw new StepError('upstream_error', { message: `${label} does not embed the video.` })
    return parseAnswer(site, Shape.of('oembed', jsonOf(text)), report, (answer) => embeddedIn(answer, oembed))
  }

const embeddedIn = (answer: Shape, { titleIn }: OembedDefinition): Embedded => ({
  title: titleIn ? titleIn(answer.required('string', 'html')) : answer.expected('string', 'title') || null,
  author: answer.required('string', 'author_name'),
  thumbnail: titleIn ? null : answer.expected('string', 'thumbnail_url'),
})
