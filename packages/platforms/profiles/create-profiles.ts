import type { ProfileVideo } from '#contracts/generated/http.ts'
import type { Exits } from '#packages/egress/exits.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Breakers } from '../breakers/breakers.ts'
import type { ProfileDefinition, ReadProfile } from '../platform-definition.ts'
import { exitOf } from '../reading/exit-of.ts'
import { SharedReads } from '../reading/shared-reads.ts'
import { reportTo } from '../reading/site.ts'
import { type ProfileOf, type ProfilePlatform, profilePlatforms } from '../registry.ts'

export type ProfilesOptions = {
  exits: Exits
  breakers: Breakers
  clock: Clock
  log: Logger
  /** How long a profile serves others, seconds. */
  profileSeconds: number
}

/** Reads creators' profiles, by `usernameOf`'s names. */
export type Profiles = { [P in ProfilePlatform]: ReadProfile<ProfileOf<P>> }

/** What the interface allows (specification: profile `limit`); one read serves every smaller one. */
const MAX_VIDEOS = 24

/** The profiles of each platform. Those who ask for the same share a read, and its result for a while. */
export const createProfiles = (options: ProfilesOptions): Profiles =>
  Object.fromEntries(
    profilePlatforms.map(({ name, profile }) => [name, createShared(name, profile, options)]),
  ) as unknown as Profiles

function createShared(
  platform: ProfilePlatform,
  { create }: ProfileDefinition,
  { exits, breakers, clock, log, profileSeconds }: ProfilesOptions,
): ReadProfile<{ videos: ProfileVideo[] }> {
  const reads = new SharedReads<{ videos: ProfileVideo[] }>({ clock, seconds: profileSeconds })
  const read = create({ exitOf: (reading) => exitOf(exits, platform, reading), report: reportTo(log) })
  return async ({ username, limit }, reading) => {
    const profile = await reads.get(username, reading, (signal, onWait) => {
      const { address } = exitOf(exits, platform, reading)
      const { organization } = reading
      return breakers.run(platform, { address, organization, subject: `@${username}` }, () =>
        read({ username, limit: MAX_VIDEOS }, { ...reading, signal, onWait }),
      )
    })
    return { ...profile, videos: profile.videos.slice(0, limit) }
  }
}
