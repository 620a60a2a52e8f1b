import type { SearchResult } from '#contracts/generated/http.ts'
import type { Reading } from '../reading/reading.ts'

/** What is known of a result besides platform and URL; a missing or null field is unknown. */
export type Details = Partial<Omit<SearchResult, 'platform' | 'url'>>

/** Searches one platform. Both throw StepError, and the signal's reason when aborted. */
export type SearchSource = {
  /** At most `limit` videos, most relevant first, each once, with canonical URLs. */
  find(wish: { q: string; limit: number }, reading: Reading): Promise<SearchResult[]>
  /** Completes a result with details read from the video itself; undefined when there are none. */
  details(result: SearchResult, reading: Reading): Promise<Details | undefined>
}
