import { invalidRequest } from '#packages/errors/service-error.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { usernameOf } from '#packages/platforms/profiles/username-of.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import type { ProfilePlatform } from '#packages/platforms/registry.ts'
import type { Found, Search } from '#packages/platforms/search/search.ts'
import { cachedUrls } from '#packages/platforms/urls/cached-urls.ts'
import { videoOf } from '#packages/platforms/urls/video-of.ts'
import type { FoundMetadata, Inclusion } from '#packages/platforms/videos/video-source.ts'
import type { Asker } from './asker.ts'
import { BoundedReads, type ReadLimits } from './bounded-reads.ts'
import { type LookedUp, lookupErrorOf } from './lookup-error.ts'

/** The parts of `Platforms` that lookups use. */
export type LookupPlatforms = Pick<Platforms, 'metadata' | 'summary' | 'search' | 'profiles'>

export type SearchWish = Parameters<Search>[0]

/** The requested profile, by username or URL; where both are given they must name the same. */
export type ProfileQuestion = { username: string | undefined; url: string | undefined; limit: number }

/**
 * Lookups that read from the outside while the caller waits. All throw ServiceError: invalid_request, not_found,
 * upstream_error, or unavailable where too much is being read.
 */
export class Lookups {
  readonly #platforms: LookupPlatforms
  readonly #reads: BoundedReads
  readonly #parse = cachedUrls()

  constructor(platforms: LookupPlatforms, limits: ReadLimits) {
    this.#platforms = platforms
    this.#reads = new BoundedReads(limits)
  }

  /** A video's metadata; as much of it as can be had, where the platform refuses to answer in full. */
  async metadata(asker: Asker, url: string, include: readonly Inclusion[] = []): Promise<FoundMetadata> {
    const { platform, canonical } = videoOf(url, this.#parse)
    return this.#read(asker, `summary ${canonical} ${include.join()}`, { platform, field: 'url' }, (reading) =>
      this.#platforms.summary(canonical, { ...reading, include }),
    )
  }

  /**
   * A video with its captions as a job would find it.
   * @param url canonical
   * @throws StepError as the job; ServiceError unavailable; DOMException TimeoutError
   */
  videoOfJob(asker: Asker, url: string): Promise<FoundMetadata> {
    return this.#reads.run(asker, `video ${url}`, (reading) =>
      this.#platforms.metadata(url, { ...reading, include: ['captions'] }),
    )
  }

  search(asker: Asker, wish: SearchWish): Promise<Found> {
    const what = `search ${JSON.stringify(wish)}`
    return this.#read(asker, what, { platform: wish.platform, field: 'q' }, (reading) =>
      this.#platforms.search(wish, reading),
    )
  }

  async profile(asker: Asker, platform: ProfilePlatform, question: ProfileQuestion): Promise<unknown> {
    const { limit } = question
    const named = usernameOf(platform, question)
    if ('reason' in named) throw invalidRequest({ path: named.path, message: named.reason })
    const { username } = named
    const what = `${platform} profile ${username} ${limit}`
    return this.#read<unknown>(asker, what, { platform, field: 'username' }, (reading) =>
      this.#platforms.profiles[platform]({ username, limit }, reading),
    )
  }

  /** @param what identifies the read: equal for requests that can share one */
  #read<T>(asker: Asker, what: string, lookedUp: LookedUp, read: (reading: Reading) => Promise<T>): Promise<T> {
    return this.#reads.run(asker, what, read).catch(translated(lookedUp))
  }
}

const translated =
  (lookedUp: LookedUp) =>
  (error: unknown): never => {
    throw lookupErrorOf(lookedUp, error)
  }
