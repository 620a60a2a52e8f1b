import type { Disturbance } from '../disturbance.ts'

const STORY = 'story.attachments.*.media'

const without = (...fields: string[]): Disturbance[] =>
  fields.map((field) => ({ host: 'www.facebook.com', path: '/watch', how: { kind: 'without', field } }))

/** For each field of a video: the disturbances that remove it from all answers of Facebook. */
export const facebookFields = {
  title: without(`${STORY}.title`, 'head.title'),
  author: without(`${STORY}.owner`, 'head.title'),
  description: without(`${STORY}.creation_story`, 'head.description'),
  views: without('story.feedback.video_view_count_renderer'),
  likes: without('story.feedback.likers'),
  comments: without('story.feedback.total_comment_count'),
  shares: without('story.feedback.share_count_reduced'),
  published: without('video.publish_time'),
  duration: without('video.playable_duration_in_ms'),
  thumbnail: without('video.preferred_thumbnail', 'head.image'),
  captions: without('video.video_available_captions_locales'),
} satisfies Record<string, Disturbance[]>
