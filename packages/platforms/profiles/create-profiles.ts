import type { ProfileVideo } from '#contracts/generated/http.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { countLookups } from '#packages/telemetry/count-lookups.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { StaleTokenError } from '../paging/stale-token-error.ts'
import { type Place, type SourcePage, takeItems } from '../paging/take-items.ts'
import type { FirstProfile, ProfileDefinition } from '../platform-definition.ts'
import { browserOf } from '../reading/browser.ts'
import { type Passed, readOutside } from '../reading/read-outside.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import type { Reading } from '../reading/reading.ts'
import { reportTo } from '../reading/site.ts'
import { type ProfileOf, type ProfilePlatform, profilePlatforms } from '../registry.ts'
import type { Reader } from '../ytdlp/reader.ts'

export type ProfilesOptions = Passed & {
  reader: Reader
  clock: Clock
  log: Logger
  /** How long a page is served from the cache, seconds. */
  profileSeconds: number
}

/** A profile with a part of its videos, and the place at which the rest begins. Null if there is no more. */
export type ProfilePart<T> = { profile: T; next: Place | null }

export type ReadProfile<T> = (
  wish: { username: string; limit: number; from: Place },
  reading: Reading,
) => Promise<ProfilePart<T>>

/** Reads creators' profiles by the usernames that `usernameOf` returns. */
export type Profiles = { [P in ProfilePlatform]: ReadProfile<ProfileOf<P>> }

/** The profiles of each platform. Requests for the same page share a read, and its result for a while. */
export const createProfiles = (options: ProfilesOptions): Profiles =>
  Object.fromEntries(
    profilePlatforms.map(({ name, profile }) => [name, createShared(name, profile, options)]),
  ) as unknown as Profiles

type WithVideos = { videos: ProfileVideo[] }

function createShared(
  platform: ProfilePlatform,
  { create }: ProfileDefinition,
  options: ProfilesOptions,
): ReadProfile<WithVideos> {
  const { clock, log, telemetry, profileSeconds: seconds } = options
  const onLookup = countLookups(telemetry, 'profiles')
  const firsts = new ReadThroughCache<FirstProfile<WithVideos>>({ clock, seconds, onLookup })
  const later = new ReadThroughCache<SourcePage<ProfileVideo>>({ clock, seconds })
  const source = create({ browse: browserOf(options, platform), report: reportTo(log) })
  const outside = <T>(username: string, reading: Reading, read: () => Promise<T>): Promise<T> =>
    readOutside(options, { platform, operation: 'profile', subject: `@${username}` }, reading, read)
  return async ({ username, limit, from }, reading) => {
    const { profile, next } = await firsts.get(username, reading, (shared) =>
      outside(username, shared, () => source.first(username, shared)),
    )
    const page = async (token: string | null): Promise<SourcePage<ProfileVideo>> => {
      if (token === null) return { items: profile.videos, next }
      return later.get(token, reading, (shared) =>
        outside(username, shared, async () => {
          if (!source.more) throw new StaleTokenError()
          return source.more(token, shared)
        }),
      )
    }
    const taken = await takeItems(page, { from, limit, pages: 1 })
    return { profile: { ...profile, videos: taken.items }, next: taken.next }
  }
}
