import { StepError } from '#packages/foundation/errors/step-error.ts'
import { askPlatform, type Browse } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import { jsonOf, type Site, unknownForm } from '../reading/site.ts'
import type { InnerTube, Post } from './innertube.ts'

/** The library throws its own kinds of errors if an answer is not JSON. */
const jsonText = (text: string): string => (jsonOf(text) === undefined ? '{}' : text)

/**
 * Sends requests to YouTube's own API as a new visitor.
 * @throws StepError, `upstream_error` for answers that the library does not know; the signal's reason
 */
export async function speak<T>(
  site: Site,
  post: Post,
  signal: AbortSignal,
  ask: (tube: InnerTube) => Promise<T>,
): Promise<T> {
  // loaded at first use: the library takes half a second and 60 MB to load
  const { openInnerTube } = await import('./innertube.ts')
  try {
    return await ask(await openInnerTube(async (...question) => jsonText(await post(...question))))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StepError) throw error
    throw unknownForm(site.label, error)
  }
}

/** Sends requests as a browser. The library's own headers are not used: the reader imitates a whole browser. */
export const postTo =
  (site: Site, browse: Browse, reading: Reading): Post =>
  async (url, { 'user-agent': _, ...headers }, body) =>
    (await askPlatform(site, browse, { url, method: 'POST', headers, body }, reading)).text
