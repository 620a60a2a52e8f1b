import type { SearchResult } from '#contracts/generated/http.ts'
import type { Reading } from '../../reading/reading.ts'

/** A result of a web search, with its address as the provider gives it. */
export type Hit = Omit<SearchResult, 'platform'>

/** `more`: there may be another page. */
export type HitPage = { hits: Hit[]; more: boolean }

/** Fields that stay null in web searches, because a search engine shows only parts of descriptions. */
export const ofWebSearch = { description: null, authorId: null, authorUrl: null, tags: null, isLive: null }

/** A search engine for videos anywhere on the web. Throws StepError, and the signal's reason when aborted. */
export type Provider = {
  /**
   * @param query may have `site:` operators
   * @param page of the results, starting at 0
   */
  search(query: string, page: number, reading: Reading): Promise<HitPage>
}
