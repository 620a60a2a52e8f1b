import type { ProfileVideo } from '#contracts/generated/http.ts'
import { readAll, type Shape } from '../reading/shape.ts'
import { tagsOf } from '../reading/tags.ts'

const NOT_FOUND = 404

/**
 * The videos on a TikTok profile's embed page, about ten, newest first. It shows only their play counts.
 * @param page the value of its `__FRONTITY_CONNECT_STATE__`
 * @throws ShapeError
 */
export function parseEmbed(page: Shape, username: string): ProfileVideo[] {
  const route = page.required('object', 'source', 'data', `/embed/@${username}`)
  // an account that may not be embedded still has a profile page
  if (route.optional('count', 'userInfo', 'code') === NOT_FOUND) return []
  const videos = route.required('list', 'videoList')
  return readAll(videos, (video) => parseVideo(video, username)).sort(byIdDescending)
}

function parseVideo(video: Shape, username: string): ProfileVideo {
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
    additionalData: {},
  }
}

/** The upper half of an id is the time at which it was assigned, seconds since 1970. */
function createdAtOf(id: string): string | null {
  if (!/^\d{6,20}$/.test(id)) return null
  return new Date(Number(BigInt(id) >> 32n) * 1000).toISOString()
}

/** Ids of equal length are ordered as their digits are. */
const byIdDescending = (a: ProfileVideo, b: ProfileVideo): number =>
  b.id.length - a.id.length || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
