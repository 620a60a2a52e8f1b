import type { InstagramProfile } from '#contracts/generated/http.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { ProfileReader } from '../platform-definition.ts'
import { askPlatform, type SiteOptions } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import {
  blocked,
  jsonOf,
  jsonScripts,
  noProfile,
  parseAnswer,
  type Site,
  type SiteAnswer,
  signInWall,
} from '../reading/site.ts'
import { type PageProfile, parsePage } from './parse-page.ts'
import { parseProfile } from './parse-profile.ts'

const site: Site = { platform: 'instagram', operation: 'profile', label: 'Instagram' }

/** The headers that Instagram's own page sends to its API. */
const apiHeaders = {
  accept: '*/*',
  'x-ig-app-id': '936619743392459',
  'x-requested-with': 'XMLHttpRequest',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
}

/**
 * Reads an Instagram creator's profile (specification: Instagram profile) with up to twelve posts, newest first. It
 * reads the page, and the API if the page fails or lacks posts or their files. Each may fail alone; if both fail, the
 * page's failure is thrown. Guests see no older posts.
 */
export const createInstagramProfiles = (options: SiteOptions): ProfileReader<InstagramProfile> => ({
  async first(username, reading) {
    const page = await tried(readPage(options, username, reading))
    const profile =
      'read' in page && page.read.isWhole ? page.read.profile : await completed(options, username, reading, page)
    return { profile, next: null }
  },
})

/** A result, or a failure that the other way may make up for. */
type Tried<T> = { read: T } | { failure: StepError }

async function tried<T>(reading: Promise<T>): Promise<Tried<T>> {
  try {
    return { read: await reading }
  } catch (error) {
    if (!(error instanceof StepError)) throw error
    return { failure: error }
  }
}

/**
 * The API's profile. If the API fails: the part of it that the page shows. If the API says that there is no such user,
 * that is final.
 */
async function completed(options: SiteOptions, username: string, reading: Reading, page: Tried<PageProfile>) {
  if ('failure' in page && page.failure.code === 'profile_not_found') throw page.failure
  const api = await tried(readApi(options, username, reading))
  if ('read' in api) return api.read
  if ('read' in page) return page.read.profile
  throw api.failure.code === 'profile_not_found' ? api.failure : page.failure
}

/** Instagram sends the page without its data to addresses that it distrusts. */
async function readPage({ browse, report }: SiteOptions, username: string, reading: Reading): Promise<PageProfile> {
  const answer = await askPlatform(site, browse, { url: `https://www.instagram.com/${username}/` }, reading)
  refuse(answer)
  // takes them from all scripts: user and posts may be in separate ones
  const { user, timeline } = findPageUser(jsonScripts(answer.text, USER, TIMELINE))
  if (user === null) throw noProfile()
  if (user === undefined) throw signInWall(site.label)
  const shape = Shape.of('page', { user, timeline })
  return parseAnswer(site, shape, report, (found) =>
    parsePage({
      user: found.required('object', 'user'),
      timeline: timeline && found.required('object', 'timeline'),
    }),
  )
}

async function readApi({ browse, report }: SiteOptions, username: string, reading: Reading): Promise<InstagramProfile> {
  const url = `https://www.instagram.com/api/v1/users/web_profile_info/?username=${username}`
  const headers = { ...apiHeaders, referer: `https://www.instagram.com/${username}/` }
  const answer = await askPlatform(site, browse, { url, headers }, reading)
  refuse(answer)
  // Instagram answers 400 for single accounts, from any address
  if (answer.status === 400) throw signInWall(site.label)
  const profile = parseAnswer(site, Shape.of('profile', jsonOf(answer.text)), report, parseProfile)
  if (!profile) throw noProfile()
  return profile
}

/** 401 is "Please wait a few minutes before you try again": it refuses this exit address, whatever the profile. */
function refuse({ status, url, text }: SiteAnswer): void {
  if (status === 404) throw noProfile()
  const isChallenge = url.pathname.startsWith('/challenge')
  if (status === 401 || isChallenge || (status === 200 && text.trim() === '')) throw blocked(site.label)
  if (url.pathname.startsWith('/accounts/login')) throw signInWall(site.label)
}

/** Keys of a page's user and posts. */
export const USER = 'xig_user_by_username'
export const TIMELINE = 'polaris_ordered_timeline_connection'
const MAX_DEPTH = 60

/** The data of an Instagram profile page. */
type PageUser = {
  /** Null if the page says that there is no such user. Undefined if the page has no such answer. */
  user: object | null | undefined
  /** The user's first posts. Undefined if the page has none. */
  timeline: object | undefined
}

/**
 * The user and posts of an Instagram profile page. The page's scripts hold several answers of the same name with
 * different fields. Takes the one with a username, else the first, so that the parser reports what is missing.
 * @param scripts the values of the page's scripts of type JSON
 */
function findPageUser(scripts: readonly unknown[]): PageUser {
  const users = scripts.flatMap((script) => [...valuesOf(USER, script, 0)])
  const named = users.find((user) => user !== null && 'username' in user)
  const first = users.find((user) => user !== null)
  const isNobody = users.length > 0 && first === undefined
  const timelines = scripts.flatMap((script) => [...valuesOf(TIMELINE, script, 0)])
  return { user: isNobody ? null : (named ?? first), timeline: timelines.find((found) => found !== null) ?? undefined }
}

/** The objects and nulls under a key, at any depth. A user may hold its timeline. */
function* valuesOf(wanted: string, value: unknown, depth: number): Generator<object | null> {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === wanted && typeof inner === 'object') yield inner
    else yield* valuesOf(wanted, inner, depth + 1)
  }
}
