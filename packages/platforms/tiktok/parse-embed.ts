import type { ProfileVideo, TikTokProfile } from '#contracts/generated/http.ts'
import { readAll, type Shape } from '../reading/shape.ts'
import { tagsOf } from '../reading/tags.ts'

const NOT_FOUND = 404

/**
 * The videos on a TikTok profile's embed page, about ten, newest first. It shows only their play counts.
 * @param page the value of its `__FRONTITY_CONNECT_STATE__`
 * @throws ShapeError
 */
export const parseEmbed = (page: Shape, username: string): ProfileVideo[] =>
  // an account that cannot be embedded still has a profile page
  isMissing(routeOf(page, username)) ? [] : videosOf(routeOf(page, username), username)

/**
 * The whole profile as its embed page shows it, without the number of videos.
 * @returns undefined if the account cannot be embedded or does not exist
 * @throws ShapeError
 */
export function parseEmbeddedProfile(page: Shape, username: string): TikTokProfile | undefined {
  const route = routeOf(page, username)
  if (isMissing(route)) return undefined
  const user = route.required('object', 'userInfo')
  const name = user.required('string', 'uniqueId')
  return {
    platform: 'tiktok',
    type: 'profile',
    username: name,
    url: `https://www.tiktok.com/@${name}`,
    author: {
      username: name,
      displayName: user.expected('string', 'nickname'),
      avatarUrl: user.expected('string', 'avatarThumbUrl'),
      verified: user.expected('boolean', 'verified') ?? false,
    },
    stats: {
      followers: user.expected('count', 'followerCount'),
      following: user.expected('count', 'followingCount'),
      likes: user.expected('count', 'heartCount'),
      videos: null,
    },
    videos: isPrivate(user) ? [] : videosOf(route, name),
  }
}

const routeOf = (page: Shape, username: string): Shape =>
  page.required('object', 'source', 'data', `/embed/@${username}`)

const isMissing = (route: Shape): boolean => route.optional('count', 'userInfo', 'code') === NOT_FOUND

/** The operator's account may follow a private account. Its videos are not for our callers. */
const isPrivate = (user: Shape): boolean =>
  ['privateAccount', 'secret'].some((key) => user.optional('boolean', key) === true)

/** The page also lists videos that the account has made private. */
function videosOf(route: Shape, username: string): ProfileVideo[] {
  const open = route.required('list', 'videoList').filter((video) => !video.optional('boolean', 'privateItem'))
  const account = { id: route.optional('text', 'userInfo', 'id'), username }
  return readAll(open, (video) => parseVideo(video, account)).sort(byIdDescending)
}

function parseVideo(video: Shape, { id: authorId, username }: { id: string | null; username: string }): ProfileVideo {
  const id = video.required('string', 'id')
  const caption = video.expected('string', 'desc')
  return {
    platform: 'tiktok',
    type: 'video',
    id,
    url: `https://www.tiktok.com/@${username}/video/${id}`,
    title: caption,
    description: caption,
    stats: { views: video.expected('count', 'playCount'), likes: null, comments: null, shares: null },
    media: { type: 'video', thumbnailUrl: video.expected('string', 'coverUrl'), duration: null },
    tags: tagsOf(caption),
    createdAt: createdAtOf(id),
    authorId,
    authorUrl: `https://www.tiktok.com/@${username}`,
    isLive: null,
    additionalData: {},
  }
}

/** The upper half of an id is the time of its assignment, seconds since 1970. */
function createdAtOf(id: string): string | null {
  if (!/^\d{6,20}$/.test(id)) return null
  return new Date(Number(BigInt(id) >> 32n) * 1000).toISOString()
}

/** Ids of equal length sort by their digits. */
const byIdDescending = (a: ProfileVideo, b: ProfileVideo): number =>
  b.id.length - a.id.length || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
