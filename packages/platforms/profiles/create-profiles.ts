import type { ProfileVideo } from '#contracts/generated/http.ts'
import type { EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { countLookups } from '#packages/telemetry/count-lookups.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Breakers } from '../breakers/breakers.ts'
import type { Pace } from '../pace/pace.ts'
import type { ProfileDefinition, ReadProfile } from '../platform-definition.ts'
import { measuredRead } from '../reading/measured-read.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import { routeOf } from '../reading/route-of.ts'
import { reportTo } from '../reading/site.ts'
import { type ProfileOf, type ProfilePlatform, profilePlatforms } from '../registry.ts'

export type ProfilesOptions = {
  routes: EgressRoutes
  breakers: Breakers
  pace: Pace
  clock: Clock
  log: Logger
  telemetry: Telemetry
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
  { routes, breakers, pace, clock, log, telemetry, profileSeconds }: ProfilesOptions,
): ReadProfile<{ videos: ProfileVideo[] }> {
  const onLookup = countLookups(telemetry, 'profiles')
  const reads = new ReadThroughCache<{ videos: ProfileVideo[] }>({ clock, seconds: profileSeconds, onLookup })
  const read = create({ routeOf: (reading) => routeOf(routes, platform, reading), report: reportTo(log) })
  return async ({ username, limit }, reading) => {
    const profile = await reads.get(username, reading, (signal, onWait) => {
      const route = routeOf(routes, platform, reading)
      const { address, via } = route
      const shared = { ...reading, signal, onWait }
      const { organization } = reading
      return breakers.run(platform, { address, organization, subject: `@${username}` }, () =>
        pace.run(platform, route, shared, () =>
          measuredRead(telemetry, { platform, operation: 'profile', via, signal }, () =>
            read({ username, limit: MAX_VIDEOS }, shared),
          ),
        ),
      )
    })
    return { ...profile, videos: profile.videos.slice(0, limit) }
  }
}
