import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { Egress } from '#packages/egress/egress.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { Shape } from '../reading/shape.ts'
import { askSite, jsonOf, OWN_NAME, parseAnswer, type Site, type SiteReport } from '../reading/site.ts'
import type { RegisteredPlatform } from '../registry.ts'
import type { OembedDefinition } from './oembed-definition.ts'

/** The facts about a video that a page shows when it embeds the video. */
export type Embedded = Pick<VideoMetadata, 'title' | 'author' | 'thumbnail' | 'authorUrl'>

const ownName = { 'user-agent': OWN_NAME, accept: 'application/json' }

/**
 * Reads a video from its platform's oEmbed interface, without cookies.
 * @throws StepError `platform_blocked`, `upstream_error`; the signal's reason
 */
export const readOembed =
  ({ name, label }: RegisteredPlatform, oembed: OembedDefinition, { report }: { report: SiteReport }) =>
  async (canonicalUrl: string, egress: Egress, signal: AbortSignal): Promise<Embedded> => {
    const site: Site = { platform: name, operation: 'oembed', label }
    const url = new URL(oembed.endpoint)
    url.searchParams.set('url', canonicalUrl)
    const headers = { ...ownName, ...oembed.headers }
    const { status, text } = await askSite(site, egress, url.href, { headers, signal })
    // 400, 401 and 404: the video may not be embedded, or does not exist
    if (status !== 200) throw new StepError('upstream_error', { message: `${label} does not embed the video.` })
    return parseAnswer(site, Shape.of('oembed', jsonOf(text)), report, (answer) => embeddedIn(answer, oembed))
  }

const embeddedIn = (answer: Shape, { titleIn }: OembedDefinition): Embedded => ({
  title: titleIn ? titleIn(answer.required('string', 'html')) : answer.expected('string', 'title') || null,
  author: answer.required('string', 'author_name'),
  authorUrl: answer.optional('string', 'author_url'),
  thumbnail: titleIn ? null : answer.expected('string', 'thumbnail_url'),
})
