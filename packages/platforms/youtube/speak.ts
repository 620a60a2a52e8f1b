import { StepError } from '#packages/errors/step-error.ts'
import { jsonOf, type Site, unknownForm } from '../reading/site.ts'
import type { InnerTube, Post } from './innertube.ts'

/** The library fails in forms of its own where an answer is no JSON. */
const jsonText = (text: string): string => (jsonOf(text) === undefined ? '{}' : text)

/**
 * Asks YouTube's own API, as a new visitor.
 * @throws StepError, `upstream_error` for answers that the library does not know; the signal's reason
 */
export async function speak<T>(
  site: Site,
  post: Post,
  signal: AbortSignal,
  ask: (tube: InnerTube) => Promise<T>,
): Promise<T> {
  // loaded at the first use: the library takes half a second and 60 MB to load
  const { openInnerTube } = await import('./innertube.ts')
  try {
    return await ask(await openInnerTube(async (...question) => jsonText(await post(...question))))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StepError) throw error
    throw unknownForm(site.label, error)
  }
}
