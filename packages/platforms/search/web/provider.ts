import type { SearchResult } from '#contracts/generated/http.ts'
import type { Reading } from '../../reading/reading.ts'

/** A result of a web search, its address as the provider gives it. */
export type Hit = Omit<SearchResult, 'platform'>

/** `more`: there may be another page. */
export type HitPage = { hits: Hit[]; more: boolean }

/** What no search engine tells: it shows parts of descriptions. */
export const ofWebSearch = { description: null, authorId: null, authorUrl: null, tags: null, isLive: null }

/** A search engine for videos anywhere in the web. Throws StepError, and the signal's reason when aborted. */
export type Provider = {
  /**
   * @param query may have `site:` operators
   * @param page of the results, from 0 on
   */
  search(query: string, page: number, reading: Reading): Promise<HitPage>
}
