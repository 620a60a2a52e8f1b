import type { SearchResult } from '#contracts/generated/http.ts'
import type { Reading } from '../../reading/reading.ts'

/** A result of a web search, its address as the provider gives it. */
export type Hit = Omit<SearchResult, 'platform'>

/** A search engine for videos anywhere in the web. Throws StepError, and the signal's reason when aborted. */
export type Provider = {
  /** @param query may have `site:` operators */
  search(query: string, reading: Reading): Promise<Hit[]>
}
