import type { Egress } from '#packages/egress/egress.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { askSite, jsonOf, type Site } from '../reading/site.ts'
import type { InnerTube, Post } from './innertube.ts'

/**
 * Asks YouTube's own API, as a new visitor.
 * @throws StepError, `upstream_error` for answers that the library does not know; the signal's reason
 */
export async function speak<T>(
  site: Site,
  egress: Egress,
  signal: AbortSignal,
  ask: (tube: InnerTube) => Promise<T>,
): Promise<T> {
  // loaded at the first use: the library takes half a second and 60 MB to load
  const { openInnerTube } = await import('./innertube.ts')
  try {
    return await ask(await openInnerTube(post(site, egress, signal)))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StepError) throw error
    throw new StepError('upstream_error', {
      message: `${site.label} answers in a form that is not known.`,
      cause: error,
    })
  }
}

const post =
  (site: Site, egress: Egress, signal: AbortSignal): Post =>
  async (url, headers, body) => {
    const { text } = await askSite(site, egress, url, { method: 'POST', headers, body, signal })
    return jsonOf(text) === undefined ? '{}' : text
  }
