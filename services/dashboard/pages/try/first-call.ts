import { type Language, snippetOf } from './snippets.ts'

type FirstCall = {
  baseUrl: string
  /** An API key's secret. */
  key: string
  /** The URL of a video with captions. */
  exampleUrl: string
  /** Whether to return the transcript itself instead of the id of a job. */
  waits?: boolean
}

/** Code that requests a first transcript, and works without changes. */
export function firstCall({ baseUrl, key, exampleUrl, waits = false }: FirstCall, language: Language = 'curl'): string {
  const call = {
    method: 'POST',
    path: '/v1/transcript',
    query: [],
    headers: waits ? { prefer: 'wait=30' } : {},
    body: { url: exampleUrl, mode: 'native' },
  }
  return snippetOf(language, baseUrl, call).replace('YOUR_KEY', () => key)
}
