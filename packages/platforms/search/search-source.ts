import type { SearchResult } from '#contracts/generated/http.ts'
import type { SourcePage } from '../paging/take-items.ts'
import type { Reading } from '../reading/reading.ts'

/** The known facts about a result beside its platform and URL. A missing or null field is unknown. */
export type Details = Partial<Omit<SearchResult, 'platform' | 'url'>>

/** Searches one platform. Both throw StepError, and the signal's reason when aborted. */
export type SearchSource = {
  /**
   * A page of videos, most relevant first, each once, with canonical URLs. `token`: from an earlier page; null: the
   * first.
   */
  find(wish: { q: string; token: string | null }, reading: Reading): Promise<SourcePage<SearchResult>>
  /** Completes a result with details from the video itself. Undefined if there are none. */
  details(result: SearchResult, reading: Reading): Promise<Details | undefined>
}
