import type { InstagramProfile, TikTokProfile } from '#contracts/generated/http.ts'
import { type BlockedExit, Breakers } from './breakers/breakers.ts'
import { type CreatorsOptions, createCreators } from './creators.ts'
import type { Reading } from './platform.ts'
import type { Search } from './search/search.ts'
import { createSearches, type SearchesOptions } from './search/searches.ts'
import { createVideos, type Videos, type VideosOptions } from './videos.ts'
import type { RestingAccount } from './ytdlp/accounts.ts'

export type PlatformsOptions = Omit<VideosOptions & CreatorsOptions & SearchesOptions, 'breakers' | 'details'>

/** Everything that is read from the outside: videos, searches and creators. All throw StepError. */
export type Platforms = Videos & {
  search: Search
  tiktokProfile(wish: { username: string; limit: number }, reading: Reading): Promise<TikTokProfile>
  instagramProfile(wish: { username: string; limit: number }, reading: Reading): Promise<InstagramProfile>
  /** What operators have to know: who refuses us, and which of their accounts are spared. */
  standing(): { blocked: BlockedExit[]; restingAccounts: RestingAccount[] }
}

export function createPlatforms(options: PlatformsOptions): Platforms {
  const breakers = new Breakers(options)
  const videos = createVideos({ ...options, breakers })
  const search = createSearches({ ...options, breakers, details: videos.details })
  const standing = () => ({ blocked: breakers.blocked(), restingAccounts: options.reader.restingAccounts })
  return { ...videos, search, ...createCreators({ ...options, breakers }), standing }
}
