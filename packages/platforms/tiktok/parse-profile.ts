import type { TikTokProfile } from '#contracts/generated/http.ts'
import type { Shape } from '../reading/shape.ts'

/** The owner of a profile page. */
export type TikTokOwner = {
  profile: Omit<TikTokProfile, 'videos'>
  /** Only followers may see the videos, or other pages may not embed them. */
  hidesVideos: boolean
  /** TikTok's id of the account for requests of older videos. Null if the page has none. */
  secUid: string | null
}

/** TikTok's status codes for an account that does not exist: no such user, banned, deleted. */
const absent = new Set([10202, 10221, 10223])
const OPEN = 0
const PRIVATE = 10222

/**
 * The owner of a TikTok profile page.
 * @param page the value of its `__UNIVERSAL_DATA_FOR_REHYDRATION__`
 * @returns undefined if there is no such user
 * @throws ShapeError
 */
export function parseProfile(page: Shape): TikTokOwner | undefined {
  const detail = page.required('object', '__DEFAULT_SCOPE__', 'webapp.user-detail')
  const status = detail.optional('count', 'statusCode') ?? OPEN
  if (absent.has(status)) return undefined
  const info = detail.required('object', 'userInfo')
  const user = info.required('object', 'user')
  const username = user.required('string', 'uniqueId')
  const profile = {
    platform: 'tiktok' as const,
    type: 'profile' as const,
    username,
    url: `https://www.tiktok.com/@${username}`,
    author: {
      username,
      displayName: user.expected('string', 'nickname'),
      avatarUrl: user.expected('string', 'avatarLarger'),
      verified: user.expected('boolean', 'verified') ?? false,
    },
    stats: statsOf(info),
  }
  const isPrivate = user.expected('boolean', 'privateAccount') ?? false
  const isClosed = user.optional('boolean', 'isEmbedBanned') ?? false
  const secUid = user.expected('string', 'secUid') || null
  return { profile, hidesVideos: isPrivate || isClosed || status === PRIVATE, secUid }
}

/** `stats` is rounded and overflows. `statsV2`, if present, has every digit. */
function statsOf(info: Shape): TikTokProfile['stats'] {
  const exact = info.has('statsV2')
  const count = (key: string) =>
    (exact ? info.expected('count', 'statsV2', key) : null) ??
    (exact ? info.optional('count', 'stats', key) : info.expected('count', 'stats', key))
  return {
    followers: count('followerCount'),
    following: count('followingCount'),
    likes: count('heartCount'),
    videos: count('videoCount'),
  }
}
