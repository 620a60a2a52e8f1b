import { type BlockedRoute, Breakers } from './breakers/breakers.ts'
import { createProfiles, type Profiles, type ProfilesOptions } from './profiles/create-profiles.ts'
import type { Search } from './search/search.ts'
import { createSharedSearch, type SharedSearchOptions } from './search/shared-search.ts'
import { createVideos, type Videos, type VideosOptions } from './videos/create-videos.ts'
import type { RestingAccount } from './ytdlp/accounts.ts'
import type { Withholding } from './ytdlp/warning-log.ts'

export type PlatformsOptions = Omit<VideosOptions & ProfilesOptions & SharedSearchOptions, 'breakers' | 'details'>

/** Everything that is read from the outside: videos, searches and creators' profiles. All throw StepError. */
export type Platforms = Videos & {
  search: Search
  profiles: Profiles
  /** For operators: the platforms that refuse us, and which of their accounts are not used for a while. */
  standing(): { blocked: BlockedRoute[]; restingAccounts: RestingAccount[] }
  /** Likewise: the platforms that held captions back lately. */
  withholding(): Withholding[]
}

export function createPlatforms(options: PlatformsOptions): Platforms {
  const breakers = new Breakers(options)
  const videos = createVideos({ ...options, breakers })
  const search = createSharedSearch({ ...options, breakers, details: videos.details })
  const profiles = createProfiles({ ...options, breakers })
  const standing = () => ({ blocked: breakers.blocked(), restingAccounts: options.reader.restingAccounts })
  const withholding = () => options.reader.withholding
  return { ...videos, search, profiles, standing, withholding }
}
