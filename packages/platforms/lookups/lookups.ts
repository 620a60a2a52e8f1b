import { createHash } from 'node:crypto'
import type { YouTubeChannel, YouTubePlaylist } from '#contracts/generated/http.ts'
import { failures } from '#packages/domain/job/failure.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { LastHour, type PlatformMinutes } from '#packages/platforms/last-hour.ts'
import { type ListPart, nameOf } from '#packages/platforms/lists/create-lists.ts'
import { beginning, type Place } from '#packages/platforms/paging/take-items.ts'
import type { ProfilePart } from '#packages/platforms/profiles/create-profiles.ts'
import { usernameOf } from '#packages/platforms/profiles/username-of.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import type { ProfilePlatform } from '#packages/platforms/registry.ts'
import type { Found, Search } from '#packages/platforms/search/search.ts'
import { cachedUrls } from '#packages/platforms/urls/cached-urls.ts'
import { videoOf } from '#packages/platforms/urls/video-of.ts'
import type { FoundMetadata, Inclusion } from '#packages/platforms/videos/video-source.ts'
import {
  type ChannelList,
  type ChannelType,
  channelPath,
  type ListName,
  type PlaylistList,
  playlistOf,
} from '#packages/platforms/youtube/lists/list-name.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Asker } from './asker.ts'
import { BoundedReads, type ReadLimits } from './bounded-reads.ts'
import { namesNo } from './list-name.ts'
import { type LookedUp, lookupErrorOf } from './lookup-error.ts'

/**
 * The cursors of lists that platforms give in pages. They are sealed: a valid one proves that this service made it,
 * for the same list. So callers cannot choose what we send to the platform.
 */
class Cursors {
  readonly #sealer: Sealer

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** @param list identifies the request; a null place: nothing follows */
  seal(list: string, place: Place | null): string | null {
    if (place === null) return null
    return this.#sealer.seal('cursor', Buffer.from(JSON.stringify([hashOf(list), place.skip, place.token])))
  }

  /** The place in a cursor of this list. @throws ServiceError invalid_request */
  open(list: string, cursor: string | undefined): Place {
    if (cursor === undefined) return beginning
    const bytes = this.#sealer.unseal('cursor', cursor)
    if (bytes === undefined) throw invalidRequest({ path: 'cursor', message: 'was not issued by this service' })
    const [hash, skip, token] = JSON.parse(bytes.toString()) as [string, number, string | null]
    if (hash !== hashOf(list)) throw invalidRequest({ path: 'cursor', message: 'belongs to other parameters' })
    return { token, skip }
  }
}

const hashOf = (list: string): string => createHash('sha256').update(list).digest('base64url').slice(0, 16)

/** The parts of `Platforms` that lookups use. */
export type LookupPlatforms = Pick<Platforms, 'metadata' | 'summary' | 'search' | 'profiles' | 'lists'>

export type SearchQuestion = Omit<Parameters<Search>[0], 'from'> & { cursor: string | undefined }

/** A page of a search. `nextCursor`: the cursor of the next page, or null. */
export type SearchPage = Omit<Found, 'next'> & { nextCursor: string | null }

/** The requested profile, by username or URL. If both are given, they must name the same profile. */
export type ProfileQuestion = {
  username: string | undefined
  url: string | undefined
  limit: number
  cursor: string | undefined
}

export type ProfilePage = { profile: unknown; nextCursor: string | null }

/** A request for the list of a channel or playlist. */
export type ListQuestion = { name: ListName; limit: number; cursor: string | undefined }

/**
 * Lookups that read from the outside while the caller waits. All throw ServiceError: invalid_request, not_found,
 * upstream_error, or unavailable if too many reads are under way.
 */
export class Lookups {
  readonly #platforms: LookupPlatforms
  readonly #reads: BoundedReads
  readonly #cursors: Cursors
  readonly #hour = new LastHour()
  readonly #clock: Clock
  readonly #parse = cachedUrls()

  constructor(
    { platforms, sealer, clock }: { platforms: LookupPlatforms; sealer: Sealer; clock: Clock },
    limits: ReadLimits,
  ) {
    this.#clock = clock
    this.#platforms = platforms
    this.#cursors = new Cursors(sealer)
    this.#reads = new BoundedReads(limits)
  }

  /** A video's metadata. If the platform refuses a full answer: the part of it that is available. */
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

  /** A page of a search. Only searches of one platform have further pages. */
  async search(asker: Asker, { cursor, ...wish }: SearchQuestion): Promise<SearchPage> {
    const list = `search ${JSON.stringify([wish.q, wish.platform])}`
    const from = this.#cursors.open(list, cursor)
    const { next, ...found } = await this.#read(
      asker,
      `${list} ${wish.limit} ${placeName(from)}`,
      { platform: wish.platform, field: 'q' },
      (reading) => this.#platforms.search({ ...wish, from }, reading),
    )
    return { ...found, nextCursor: this.#cursors.seal(list, next) }
  }

  async profile(asker: Asker, platform: ProfilePlatform, question: ProfileQuestion): Promise<ProfilePage> {
    const { limit, cursor } = question
    const named = usernameOf(platform, question)
    if ('reason' in named) throw invalidRequest({ path: named.path, message: named.reason })
    const { username } = named
    const list = `${platform} profile ${username}`
    const from = this.#cursors.open(list, cursor)
    const { profile, next } = await this.#read<ProfilePart<unknown>>(
      asker,
      `${list} ${limit} ${placeName(from)}`,
      { platform, field: 'username' },
      (reading) => this.#platforms.profiles[platform]({ username, limit, from }, reading),
    )
    return { profile, nextCursor: this.#cursors.seal(list, next) }
  }

  async channel(asker: Asker, { type, ...question }: ListQuestion & { type: ChannelType }): Promise<YouTubeChannel> {
    const path = channelPath(question.name)
    const list: ChannelList | undefined = path === undefined ? undefined : { kind: 'channel', path, type }
    return this.#list(asker, list, question, 'a channel')
  }

  async playlist(asker: Asker, question: ListQuestion): Promise<YouTubePlaylist> {
    const id = playlistOf(question.name)
    const list: PlaylistList | undefined = id === undefined ? undefined : { kind: 'playlist', id }
    return this.#list(asker, list, question, 'a public playlist')
  }

  async #list<L extends ChannelList | PlaylistList>(
    asker: Asker,
    list: L | undefined,
    { name, limit, cursor }: ListQuestion,
    what: string,
  ): Promise<ListPart<L>['body'] & { nextCursor: string | null }> {
    const { field } = name
    if (list === undefined) throw namesNo(what, name)
    const key = `youtube ${nameOf(list)}`
    const from = this.#cursors.open(key, cursor)
    const { body, next } = await this.#read(
      asker,
      `${key} ${limit} ${placeName(from)}`,
      { platform: 'youtube', field },
      (reading) => this.#platforms.lists({ list, from, limit }, reading),
    )
    return { ...body, nextCursor: this.#cursors.seal(key, next) }
  }

  /** The results of lookups in this process. */
  lastHour(): PlatformMinutes[] {
    return this.#hour.parts(this.#clock.now())
  }

  /** @param what identifies the read: equal for requests that can share one */
  async #read<T>(asker: Asker, what: string, lookedUp: LookedUp, read: (reading: Reading) => Promise<T>): Promise<T> {
    const { platform } = lookedUp
    try {
      const found = await this.#reads.run(asker, what, read)
      this.#count(platform)
      return found
    } catch (error) {
      this.#count(platform, error)
      throw lookupErrorOf(lookedUp, error)
    }
  }

  /** @param failure undefined: the lookup succeeded */
  #count(platform: string | undefined, failure?: unknown): void {
    if (platform === undefined || failure instanceof PaceError) return
    const timedOut = failure instanceof DOMException && failure.name === 'TimeoutError'
    if (failure !== undefined && !timedOut && !(failure instanceof StepError)) return
    const isBad = timedOut || (failure instanceof StepError && !failures[failure.code].isPlatformAnswer)
    this.#hour.count(platform, this.#clock.now(), isBad)
  }
}

const placeName = ({ token, skip }: Place): string => `${skip} ${token}`
