import { type BlockedRoute, Breakers } from './breakers/breakers.ts'
import { createLists, type Lists } from './lists/create-lists.ts'
import { Pace, type PaceOptions } from './pace/pace.ts'
import { createProfiles, type Profiles, type ProfilesOptions } from './profiles/create-profiles.ts'
import { routeOf } from './reading/route-of.ts'
import type { SocialPlatform } from './registry.ts'
import type { Search } from './search/search.ts'
import { createSharedSearch, type SharedSearchOptions, searchableWith } from './search/shared-search.ts'
import { createVideos, type Videos, type VideosOptions } from './videos/create-videos.ts'
import type { RestingAccount } from './ytdlp/accounts.ts'
import type { Withholding } from './ytdlp/warning-log.ts'

export type PlatformsOptions = Omit<
  VideosOptions & ProfilesOptions & SharedSearchOptions & PaceOptions,
  'breakers' | 'details' | 'pace'
>

/** Everything that we read from platforms: videos, searches and creators' profiles. All throw StepError. */
export type Platforms = Videos & {
  search: Search
  profiles: Profiles
  lists: Lists
  /** The platforms that this configuration can search. */
  searchable: readonly SocialPlatform[]
  /** For operators: the platforms that refuse us, and the platforms whose account pauses. */
  standing(): { blocked: BlockedRoute[]; restingAccounts: RestingAccount[] }
  /** For operators: the platforms that withheld captions recently. */
  withholding(): Withholding[]
  /** How long another read of a platform would now wait for its turn in this process, seconds. */
  paceWaitSeconds(platform: SocialPlatform, organization: string): number
  /** How many reads of a platform wait for their turn. */
  waitingReads(platform: SocialPlatform): number
}

/** A reading without an owner. Only exits without sessions have a pace, and there every owner has the same one. */
const withoutOwner = { owner: '', refusals: 0, signal: new AbortController().signal }

export function createPlatforms(options: PlatformsOptions): Platforms {
  const breakers = new Breakers(options)
  const pace = new Pace(options)
  const videos = createVideos({ ...options, breakers, pace })
  const search = createSharedSearch({ ...options, breakers, pace, details: videos.details })
  const profiles = createProfiles({ ...options, breakers, pace })
  const lists = createLists({ ...options, breakers, pace })
  return {
    ...videos,
    search,
    profiles,
    lists,
    searchable: searchableWith(options),
    standing: () => ({ blocked: breakers.blocked(), restingAccounts: options.reader.restingAccounts }),
    withholding: () => options.reader.withholding,
    paceWaitSeconds: (platform, organization) =>
      pace.waitSeconds(platform, routeOf(options.routes, platform, withoutOwner), organization),
    waitingReads: (platform) => pace.waiting(platform),
  }
}
