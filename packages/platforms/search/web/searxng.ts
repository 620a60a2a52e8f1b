import { StepError } from '#packages/foundation/errors/step-error.ts'
import { readAll, Shape } from '../../reading/shape.ts'
import { jsonOf, parseAnswer, type Site, type SiteReport } from '../../reading/site.ts'
import { secondsOfClock, toIsoTime } from '../../reading/times.ts'
import { type Hit, ofWebSearch, type Provider } from './provider.ts'

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

/**
 * The videos of an answer of SearXNG. The fields other than URL and title depend on the engine behind it.
 * @throws ShapeError
 */
const parseSearxng = (answer: Shape): Hit[] => readAll(answer.required('list', 'results'), parseHit)

const parseHit = (hit: Shape): Hit => ({
  ...ofWebSearch,
  url: hit.required('string', 'url'),
  title: hit.expected('string', 'title'),
  author: hit.optional('string', 'author') || null,
  stats: { views: viewsOf(hit), likes: null, comments: null, shares: null },
  duration: lengthOf(hit),
  thumbnail: httpUrl(hit.optional('string', 'thumbnail')),
  createdAt: toIsoTime(hit.optional('string', 'publishedDate')),
})

/** Some engines give digits, others `1.2M`, which is not exact. */
const viewsOf = (hit: Shape): number | null => countOf(hit.optional('text', 'views')?.replaceAll(',', ''))

/** Seconds, or clock format. */
function lengthOf(hit: Shape): number | null {
  const text = hit.optional('text', 'length')
  return countOf(text?.replace(/\.\d+$/, '')) ?? secondsOfClock(text)
}

const countOf = (text: string | undefined): number | null => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : null)

/** Some engines leave it empty, or leave out the scheme. */
function httpUrl(text: string | null): string | null {
  const url = URL.parse(text ?? '', 'https://searxng.invalid')
  return url && /^https?:$/.test(url.protocol) && url.hostname !== 'searxng.invalid' ? url.href : null
}
