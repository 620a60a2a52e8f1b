import type { Disturbance } from '../disturbance.ts'

const RESULT = 'data.tweetResult.result'
const VIDEO = `${RESULT}.legacy.extended_entities.media.*`

const without = (field: string): Disturbance[] => [
  { host: 'x.com', path: '/i/api/graphql/', how: { kind: 'without', field } },
]

/** For each field of a post: the disturbances that remove it from the answers. */
export const xFields = {
  title: without(`${RESULT}.legacy.full_text`),
  author: without(`${RESULT}.core.user_results.result.legacy.name`),
  views: without(`${RESULT}.views`),
  likes: without(`${RESULT}.legacy.favorite_count`),
  comments: without(`${RESULT}.legacy.reply_count`),
  shares: without(`${RESULT}.legacy.retweet_count`),
  published: without(`${RESULT}.legacy.created_at`),
  duration: without(`${VIDEO}.video_info.duration_millis`),
  thumbnail: without(`${VIDEO}.media_url_https`),
} satisfies Record<string, Disturbance[]>
