import { type InstagramCreator, type InstagramPost, instagramPictures, instagramVideos } from './catalogue.ts'
import { address } from './cdn.ts'
import { mediaIdOf } from './media-id.ts'
import { partIdOf } from './product.ts'

/** The number of posts in the answer for a profile. */
const SHOWN = 12

const SIZE = { width: 320, height: 180 }

/** The answer of `web_profile_info`. */
export function profileInfo(creator: InstagramCreator): object {
  const { id, handle, name, bio, followers, following, verified } = creator
  const posts = creator.profile === 'private' ? [] : postsOf(creator)
  return {
    data: {
      user: {
        biography: bio,
        bio_links: [],
        blocked_by_viewer: false,
        country_block: false,
        edge_followed_by: { count: followers },
        edge_follow: { count: following },
        fbid: `1784${id}`,
        full_name: name,
        id,
        is_business_account: false,
        is_private: creator.profile === 'private',
        is_verified: verified,
        profile_pic_url: address('leisure', 'thumbnail'),
        profile_pic_url_hd: address('leisure', 'thumbnail'),
        username: handle,
        edge_owner_to_timeline_media: {
          count: creator.videos,
          page_info: { has_next_page: posts.length > SHOWN, end_cursor: posts.length > SHOWN ? 'QVFDsandbox' : null },
          edges: posts.slice(0, SHOWN).map((post) => ({ node: nodeOf(post) })),
        },
      },
    },
    status: 'ok',
  }
}

const postsOf = (creator: InstagramCreator): InstagramPost[] =>
  [...instagramVideos, ...instagramPictures]
    .filter((post) => post.creator === creator && post.trouble === undefined)
    .sort((a, b) => b.published.localeCompare(a.published))

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
    dimensions: { height: SIZE.height, width: SIZE.width },
    display_url: address(parts[0].film, 'thumbnail'),
    owner: { id: creator.id, username: creator.handle },
    is_video: isVideo,
    accessibility_caption: null,
    ...(isVideo && { has_audio: true, video_url: address(film, 'film'), video_view_count: views }),
    ...(isVideo && { product_type: kind === 'reel' ? 'clips' : 'feed' }),
    ...(kind === 'carousel' && { edge_sidecar_to_children: { edges: parts.map((_, index) => child(post, index)) } }),
    edge_media_to_caption: { edges: [{ node: { text: description } }] },
    edge_media_to_comment: { count: comments },
    comments_disabled: false,
    taken_at_timestamp: Date.parse(published) / 1_000,
    edge_liked_by: { count: likes },
    edge_media_preview_like: { count: likes },
    location: null,
    thumbnail_src: address(parts[0].film, 'thumbnail'),
    like_and_view_counts_disabled: false,
  }
}

function child(post: InstagramPost, index: number): object {
  const part = post.parts[index] ?? post.parts[0]
  return {
    node: {
      __typename: part.kind === 'film' ? 'GraphVideo' : 'GraphImage',
      id: partIdOf(post, index),
      display_url: address(part.film, 'thumbnail'),
      is_video: part.kind === 'film',
    },
  }
}

/** `xig_user_by_username`: the data of a profile's page for guests. */
export const pageUser = ({ id, handle, name, bio, verified, followers, following }: InstagramCreator): object => ({
  id,
  username: handle,
  full_name: name,
  biography: bio,
  profile_pic_url: address('leisure', 'thumbnail'),
  is_verified: verified,
  is_private: false,
  follower_count: followers,
  following_count: following,
  all_media_count: null,
})
