import type { InstagramProfile, TikTokProfile } from '#contracts/generated/http.ts'
import type { Exits } from '#packages/egress/exits.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Breakers } from './breakers/breakers.ts'
import { createInstagramProfiles } from './instagram/profile.ts'
import type { Reading } from './platform.ts'
import { exitOf } from './reading/session.ts'
import { SharedReads } from './reading/shared-reads.ts'
import { reportTo, type SiteOptions } from './reading/site.ts'
import { createTikTokProfiles } from './tiktok/profile.ts'
import type { SocialPlatform } from './urls/url-family.ts'

export type CreatorsOptions = {
  exits: Exits
  breakers: Breakers
  clock: Clock
  log: Logger
  /** How long a profile serves others, seconds. */
  profileSeconds: number
}

type Wish = { username: string; limit: number }
type Read<T> = (wish: Wish, reading: Reading) => Promise<T>

/** What the interface allows (specification: profile `limit`); one read serves every smaller one. */
const MAX_VIDEOS = 24

/** Creators' profiles, by `usernameOf`'s names. Those who ask for the same share a read, and its result for a while. */
export function createCreators({ exits, breakers, clock, log, profileSeconds }: CreatorsOptions): {
  tiktokProfile: Read<TikTokProfile>
  instagramProfile: Read<InstagramProfile>
} {
  const shared = <T extends { videos: unknown[] }>(
    platform: SocialPlatform,
    create: (options: SiteOptions) => Read<T>,
  ): Read<T> => {
    const reads = new SharedReads<T>({ clock, seconds: profileSeconds })
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
  return {
    tiktokProfile: shared('tiktok', createTikTokProfiles),
    instagramProfile: shared('instagram', createInstagramProfiles),
  }
}
