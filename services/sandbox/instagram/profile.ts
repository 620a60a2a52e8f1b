import {
  type InstagramCreator,
  type InstagramPost,
  instagramPictures,
  instagramVideos,
  type Part,
} from './catalogue.ts'
import { address } from './cdn.ts'
import { mediaIdOf } from './media-id.ts'

/** The number of posts in the answer for a profile. */
const SHOWN = 12

/**
 * The answer of `web_profile_info`.
 * @param isSignedIn true for an account that may see everything, like a close friend
 */
export function profileInfo(creator: InstagramCreator, isSignedIn = false): object {
  const { handle, name, bio, followers, following, verified } = creator
  return {
    data: {
      user: {
        biography: bio,
        edge_followed_by: { count: followers },
        edge_follow: { count: following },
        full_name: name,
        is_private: creator.profile === 'private',
        is_verified: verified,
        profile_pic_url_hd: address('leisure', 'thumbnail'),
        username: handle,
        edge_owner_to_timeline_media: {
          count: creator.videos,
          edges: postsOf(creator, isSignedIn).map((post) => ({ node: nodeOf(post) })),
        },
      },
    },
  }
}

/** The latest posts, newest first. */
const postsOf = (creator: InstagramCreator, isSignedIn: boolean): InstagramPost[] =>
  [...instagramVideos, ...instagramPictures]
    .filter((post) => post.creator === creator && isShown(post, isSignedIn))
    .sort((a, b) => b.published.localeCompare(a.published))
    .slice(0, SHOWN)

const isShown = ({ trouble, audience, creator }: InstagramPost, isSignedIn: boolean): boolean =>
  isSignedIn
    ? audience !== undefined || trouble === undefined || trouble === 'private'
    : trouble === undefined && creator.profile !== 'private'

const typenames = {
  reel: 'GraphVideo',
  video: 'GraphVideo',
  image: 'GraphImage',
  carousel: 'GraphSidecar',
} as const

export function nodeOf(post: InstagramPost): object {
  const { id, kind, creator, description, published, likes, comments, views, film, parts } = post
  const isVideo = kind === 'reel' || kind === 'video'
  return {
    __typename: typenames[kind],
    id: mediaIdOf(id),
    shortcode: id,
    display_url: address(parts[0].film, 'thumbnail'),
    owner: { id: creator.id, username: creator.handle },
    is_video: isVideo,
    ...(isVideo && { video_url: address(film, 'film'), video_view_count: views }),
    ...(isVideo && { product_type: kind === 'reel' ? 'clips' : 'feed' }),
    ...(kind === 'carousel' && { edge_sidecar_to_children: { edges: parts.map(childOf) } }),
    edge_media_to_caption: { edges: [{ node: { text: description } }] },
    edge_media_to_comment: { count: comments },
    taken_at_timestamp: Date.parse(published) / 1_000,
    edge_liked_by: { count: likes },
    like_and_view_counts_disabled: false,
  }
}

const childOf = ({ kind }: Part): object => ({ node: { is_video: kind === 'film' } })

/** `xig_user_by_username`: the data of a profile's page for guests. */
export const pageUser = ({ handle, name, bio, verified, followers, following, profile }: InstagramCreator) => ({
  username: handle,
  full_name: name,
  biography: bio,
  profile_pic_url: address('leisure', 'thumbnail'),
  is_verified: verified,
  is_private: profile === 'private',
  follower_count: followers,
  following_count: following,
  all_media_count: null,
})

/** `polaris_ordered_timeline_connection`: the posts of a profile's page. */
export const pageTimeline = (creator: InstagramCreator, isSignedIn = false): object => ({
  edges: postsOf(creator, isSignedIn).map((post) => ({ node: pageNodeOf(post) })),
})

const mediaTypes = { image: 1, video: 2, reel: 2, carousel: 8 } as const
const products = { image: 'feed', video: 'feed', reel: 'clips', carousel: 'carousel_container' } as const

/** The page has no numbers, no date, and files only for some videos. */
function pageNodeOf(post: InstagramPost): object {
  const { id, kind, creator, description, published, film, parts, audience } = post
  const hasFile = (kind === 'reel' || kind === 'video') && creator.profile !== 'page_only'
  return {
    pk: pageIdAt(published, id),
    code: id,
    media_type: mediaTypes[kind],
    product_type: products[kind],
    caption: { text: description },
    display_uri: address(parts[0].film, 'thumbnail'),
    user: { pk: creator.id, username: creator.handle },
    ...(audience && { audience }),
    ...(hasFile && { video_versions: [{ url: address(film, 'film') }] }),
    ...(kind === 'carousel' && {
      carousel_media: parts.map((part) => ({ media_type: part.kind === 'film' ? 2 : 1 })),
    }),
  }
}

/** Derives the time of a post from its id, because the page does not give it. */
const pageIdAt = (published: string, code: string): string =>
  String(((BigInt(Date.parse(published)) - 1_314_220_021_721n) << 23n) + (BigInt(mediaIdOf(code)) % (1n << 23n)))
