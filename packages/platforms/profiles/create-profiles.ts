import type { ProfileVideo } from '#contracts/generated/http.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { countLookups } from '#packages/telemetry/count-lookups.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { ProfileDefinition, ReadProfile } from '../platform-definition.ts'
import { browserOf } from '../reading/browser.ts'
import { type Passed, readOutside } from '../reading/read-outside.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import { reportTo } from '../reading/site.ts'
import { type ProfileOf, type ProfilePlatform, profilePlatforms } from '../registry.ts'
import type { Reader } from '../ytdlp/reader.ts'

export type ProfilesOptions = Passed & {
  reader: Reader
  clock: Clock
  log: Logger
  /** How long a profile is served from the cache, seconds. */
  profileSeconds: number
}

/** Reads creators' profiles by the usernames that `usernameOf` returns. */
export type Profiles = { [P in ProfilePlatform]: ReadProfile<ProfileOf<P>> }

/** The largest `limit` of a profile (specification); every read asks for it, so that it serves smaller ones too. */
const MAX_VIDEOS = 24

/** The profiles of each platform. Requests for the same profile share a read, and its result for a while. */
export const createProfiles = (options: ProfilesOptions): Profiles =>
  Object.fromEntries(
    profilePlatforms.map(({ name, profile }) => [name, createShared(name, profile, options)]),
  ) as unknown as Profiles

function createShared(
  platform: ProfilePlatform,
  { create }: ProfileDefinition,
  options: ProfilesOptions,
): ReadProfile<{ videos: ProfileVideo[] }> {
  const { clock, log, telemetry, profileSeconds } = options
  const onLookup = countLookups(telemetry, 'profiles')
  const reads = new ReadThroughCache<{ videos: ProfileVideo[] }>({ clock, seconds: profileSeconds, onLookup })
  const read = create({ browse: browserOf(options, platform), report: reportTo(log) })
  return async ({ username, limit }, reading) => {
    const profile = await reads.get(username, reading, (signal, onWait) => {
      const shared = { ...reading, signal, onWait }
      const outside = { platform, operation: 'profile', subject: `@${username}` } as const
      return readOutside(options, outside, shared, () => read({ username, limit: MAX_VIDEOS }, shared))
    })
    return { ...profile, videos: profile.videos.slice(0, limit) }
  }
}
