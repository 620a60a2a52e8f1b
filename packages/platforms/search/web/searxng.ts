import { StepError } from '#packages/errors/step-error.ts'
import { Shape } from '../../reading/shape.ts'
import { jsonOf, parseAnswer, type Site, type SiteReport } from '../../reading/site.ts'
import { parseSearxng } from './parse-searxng.ts'
import type { Provider } from './provider.ts'

const site: Site = { platform: 'web-search', operation: 'search', label: 'SearXNG' }

/** Later pages repeat earlier results. */
const LAST_PAGE = 9

const MAX_BYTES = 8 * 1024 * 1024

/**
 * The operator's own SearXNG, maybe at an internal address. Requests go there directly, not through the guard, and
 * follow no redirect. Its `search.formats` must include `json`.
 * @param baseUrl http(s) URL of its start page
 */
export function createSearxng({ baseUrl, report }: { baseUrl: string; report: SiteReport }): Provider {
  const endpoint = new URL('search', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  return {
    async search(query, page, { signal }) {
      const url = new URL(endpoint)
      url.search = new URLSearchParams({
        q: query,
        categories: 'videos',
        format: 'json',
        ...(page > 0 && { pageno: String(page + 1) }),
      }).toString()
      const hits = parseAnswer(site, Shape.of('searxng', jsonOf(await read(url, signal))), report, parseSearxng)
      return { hits, more: hits.length > 0 && page < LAST_PAGE }
    },
  }
}

async function read(url: URL, signal: AbortSignal): Promise<string> {
  const answer = await asked(url, signal)
  if (answer.ok) return answer.text
  const hint = answer.status === 403 ? ' Is `json` one of its search.formats?' : ''
  const transient = answer.status === 429 || answer.status >= 500
  throw new StepError('upstream_error', { transient, message: `SearXNG answered ${answer.status}.${hint}` })
}

async function asked(url: URL, signal: AbortSignal): Promise<{ ok: boolean; status: number; text: string }> {
  try {
    const answer = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.byteLength
      // leaving the loop closes the body
      if (bytes > MAX_BYTES) throw new TypeError(`the answer is longer than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    return { ok: answer.ok, status: answer.status, text: Buffer.concat(chunks).toString() }
  } catch (error) {
    signal.throwIfAborted()
    throw new StepError('upstream_error', { transient: true, message: 'SearXNG cannot be reached.', cause: error })
  }
}
