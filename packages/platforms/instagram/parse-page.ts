import type { InstagramProfile, ProfileVideo } from '#contracts/generated/http.ts'
import { readAll, type Shape } from '../reading/shape.ts'
import { tagsOf } from '../reading/tags.ts'
import { byDateDescending, headerOf, publisherOf, timeOf } from './parse-profile.ts'

/** The part of a creator's profile that its page shows. */
export type PageProfile = {
  profile: InstagramProfile
  /** The page has everything. A private account shows no posts anywhere. */
  isWhole: boolean
}

/**
 * A creator with the first posts of the page, newest first. Pages of private accounts show no posts to any caller.
 * @param user the page's `xig_user_by_username`, `timeline` its posts, which may be missing
 * @throws ShapeError
 */
export function parsePage({ user, timeline }: { user: Shape; timeline: Shape | undefined }): PageProfile {
  const isPrivate = user.expected('boolean', 'is_private') ?? false
  const edges = isPrivate ? [] : (timeline?.required('list', 'edges') ?? [])
  const open = edges
    .map((edge) => edge.required('object', 'node'))
    .filter((node) => !node.optional('string', 'audience'))
  const username = user.required('string', 'username')
  const videos = readAll(open, parsePost).sort(byDateDescending)
  return {
    profile: {
      ...headerOf({
        username,
        description: user.expected('string', 'biography'),
        displayName: user.expected('string', 'full_name'),
        avatarUrl: user.expected('string', 'profile_pic_url'),
        verified: user.expected('boolean', 'is_verified'),
      }),
      stats: {
        followers: user.expected('count', 'follower_count'),
        following: user.expected('count', 'following_count'),
        // null for guests
        posts: user.optional('count', 'all_media_count'),
      },
      videos,
    },
    isWhole: isPrivate || (timeline !== undefined && videos.every(hasItsFile)),
  }
}

/** The page includes the files of only some videos. Callers pass them on to transcripts. */
const hasItsFile = ({ type, media }: ProfileVideo): boolean => type !== 'video' || media.videoUrl !== undefined

const types = new Map<number, ProfileVideo['type']>([
  [1, 'post'],
  [2, 'video'],
  [8, 'sidecar'],
])

function parsePost(node: Shape): ProfileVideo {
  const type = types.get(node.required('count', 'media_type')) ?? 'post'
  const [id, shortcode] = [node.required('text', 'pk'), node.required('string', 'code')]
  // the caption is null if the post has none
  const caption = node.expected('object', 'caption')?.expected('string', 'text') ?? null
  const page = node.optional('string', 'product_type') === 'clips' ? 'reel' : 'p'
  const [file] = type === 'video' ? (node.optional('list', 'video_versions') ?? []) : []
  const videoUrl = file?.expected('string', 'url') ?? null
  return {
    platform: 'instagram',
    type,
    id,
    url: `https://www.instagram.com/${page}/${shortcode}/`,
    title: caption,
    description: caption,
    stats: {
      views: type === 'video' ? node.optional('count', 'view_count') : null,
      likes: node.optional('count', 'like_count'),
      comments: node.optional('count', 'comment_count'),
      shares: null,
    },
    media: {
      type: isFilm(node, type) ? 'video' : 'image',
      thumbnailUrl: node.expected('string', 'display_uri'),
      duration: null,
      ...(videoUrl === null ? {} : { videoUrl }),
    },
    tags: tagsOf(caption),
    createdAt: timeOf(node.optional('count', 'taken_at') ?? secondOf(id)),
    ...publisherOf(node.optional('object', 'user'), 'pk'),
    additionalData: { shortcode },
  }
}

/** Whether a film comes first: the first part of a carousel decides. */
function isFilm(node: Shape, type: ProfileVideo['type']): boolean {
  if (type !== 'sidecar') return type === 'video'
  const [part] = node.optional('list', 'carousel_media') ?? []
  return part?.expected('count', 'media_type') === 2
}

/** The time of Instagram's first ids, milliseconds since 1970. */
const FIRST_ID_AT = 1_314_220_021_721n

/** The second of a post. Its id contains the time of its assignment. */
const secondOf = (id: string): number | null =>
  /^\d{6,20}$/.test(id) ? Number(((BigInt(id) >> 23n) + FIRST_ID_AT) / 1000n) : null
