import type { Disturbance } from '../disturbance.ts'

const SHOWN = 'xig_polaris_media.if_not_gated_logged_out'

/** Removes a field from the page of a post, and from the query that the page sends. */
const without = (...fields: string[]): Disturbance[] =>
  fields.flatMap((field) => [
    { host: 'www.instagram.com', path: '/reel/', how: { kind: 'without', field: `${SHOWN}.${field}` } },
    { host: 'www.instagram.com', path: '/p/', how: { kind: 'without', field: `${SHOWN}.${field}` } },
    { host: 'www.instagram.com', path: '/api/graphql', how: { kind: 'without', field: `data.${SHOWN}.${field}` } },
  ])

/** For each field of a post: the disturbances that remove it from the answers. */
export const instagramFields = {
  title: without('caption'),
  author: without('user.full_name'),
  authorId: without('user.pk'),
  likes: without('like_count'),
  comments: without('comment_count'),
  published: without('taken_at'),
  duration: without('video_duration'),
  thumbnail: without('image_versions2'),
} satisfies Record<string, Disturbance[]>
