import type { InstagramProfile, ProfileMedia, ProfileVideo } from '#contracts/generated/http.ts'
import { readAll, type Shape } from '../reading/shape.ts'
import { tagsOf } from '../reading/tags.ts'

/**
 * A creator with up to twelve posts, newest first. Private accounts show no posts to any caller.
 * @param answer of `web_profile_info`
 * @returns undefined if there is no such user
 * @throws ShapeError
 */
export function parseProfile(answer: Shape): InstagramProfile | undefined {
  const data = answer.required('object', 'data')
  if (data.has('user') && data.expected('object', 'user') === null) return undefined
  const user = data.required('object', 'user')
  const username = user.required('string', 'username')
  const count = (key: string) => user.expected('count', key, 'count')
  const isPrivate = user.expected('boolean', 'is_private') ?? false
  const posts = isPrivate ? [] : user.required('list', 'edge_owner_to_timeline_media', 'edges')
  return {
    ...headerOf({
      username,
      description: user.expected('string', 'biography'),
      displayName: user.expected('string', 'full_name'),
      avatarUrl: user.expected('string', 'profile_pic_url_hd'),
      verified: user.expected('boolean', 'is_verified'),
    }),
    stats: {
      followers: count('edge_followed_by'),
      following: count('edge_follow'),
      posts: count('edge_owner_to_timeline_media'),
    },
    videos: readAll(posts, (edge) => parsePost(edge.required('object', 'node'))).sort(byDateDescending),
  }
}

export type Header = {
  username: string
  description: string | null
  displayName: string | null
  avatarUrl: string | null
  verified: boolean | null
}

export const headerOf = ({ username, description, displayName, avatarUrl, verified }: Header) => ({
  platform: 'instagram' as const,
  type: 'profile' as const,
  username,
  url: `https://www.instagram.com/${username}/`,
  description: description ?? '',
  author: { username, displayName, avatarUrl, verified: verified ?? false },
})

const types = new Map<string, ProfileVideo['type']>([
  ['GraphVideo', 'video'],
  ['GraphImage', 'post'],
  ['GraphSidecar', 'sidecar'],
])

function parsePost(node: Shape): ProfileVideo {
  const type = types.get(node.required('string', '__typename').replace(/^XDT/, '')) ?? 'post'
  const shortcode = node.required('string', 'shortcode')
  const caption = captionOf(node)
  const page = node.optional('string', 'product_type') === 'clips' ? 'reel' : 'p'
  return {
    platform: 'instagram',
    type,
    id: node.required('string', 'id'),
    url: `https://www.instagram.com/${page}/${shortcode}/`,
    title: caption,
    description: caption,
    stats: statsOf(node, type),
    media: mediaOf(node, type),
    tags: tagsOf(caption),
    createdAt: timeOf(node.expected('count', 'taken_at_timestamp')),
    ...publisherOf(node.expected('object', 'owner'), 'id'),
    additionalData: { shortcode },
  }
}

/** The account of a post, which may appear on another profile. Null if the post names none. */
export function publisherOf(
  owner: Shape | null,
  idKey: 'id' | 'pk',
): Pick<ProfileVideo, 'authorId' | 'authorUrl' | 'isLive'> {
  const username = owner?.expected('string', 'username') ?? null
  return {
    authorId: owner?.expected('text', idKey) ?? null,
    authorUrl: username === null ? null : `https://www.instagram.com/${username}/`,
    isLive: null,
  }
}

/** A post without a caption has an empty list. */
function captionOf(node: Shape): string | null {
  const [first] = node.expected('list', 'edge_media_to_caption', 'edges') ?? []
  return first?.expected('string', 'node', 'text') ?? null
}

/** If a creator hides the counts, the answer holds made-up ones. */
function statsOf(node: Shape, type: ProfileVideo['type']): ProfileVideo['stats'] {
  const hidden = node.optional('boolean', 'like_and_view_counts_disabled') ?? false
  const views = type === 'video' ? node.expected('count', 'video_view_count') : null
  const likes = node.expected('count', 'edge_liked_by', 'count')
  return {
    views: hidden ? null : views,
    likes: hidden ? null : likes,
    comments: node.expected('count', 'edge_media_to_comment', 'count'),
    shares: null,
  }
}

function mediaOf(node: Shape, type: ProfileVideo['type']): ProfileMedia {
  const [part] = type === 'sidecar' ? (node.optional('list', 'edge_sidecar_to_children', 'edges') ?? []) : []
  const isVideo = part ? part.expected('boolean', 'node', 'is_video') : node.expected('boolean', 'is_video')
  const videoUrl = type === 'video' ? node.expected('string', 'video_url') : null
  return {
    type: isVideo ? 'video' : 'image',
    thumbnailUrl: node.expected('string', 'display_url'),
    duration: null,
    ...(videoUrl === null ? {} : { videoUrl }),
  }
}

/** The last second that a Date can represent. */
const LAST_SECOND = 8.64e12

export const timeOf = (seconds: number | null): string | null =>
  seconds === null || seconds > LAST_SECOND ? null : new Date(seconds * 1000).toISOString()

/** Newest first: in an answer, pinned posts come first. */
export const byDateDescending = (a: ProfileVideo, b: ProfileVideo): number =>
  (b.createdAt ?? '').localeCompare(a.createdAt ?? '')
