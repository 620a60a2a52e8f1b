import type { VideoInfo } from './ytdlp/info.ts'

/** What `npm run platforms -- check` looks at on the real platform. */
export type LiveCheck = {
  /** Public videos that have been there for years, most of them in the tests of yt-dlp too. */
  urls: readonly string[]
  /** A creator, where profiles are served. */
  creator?: string
  /**
   * What the platform tells of a video, and where yt-dlp has it. What is not here it does not tell guests, or yt-dlp does
   * not read.
   */
  fields: Readonly<Partial<Record<CheckedField, keyof VideoInfo>>>
  /** No guest is offered captions. */
  withoutCaptions?: boolean
}

type CheckedField =
  | 'title'
  | 'author'
  | 'duration'
  | 'thumbnail'
  | 'createdAt'
  | 'views'
  | 'likes'
  | 'comments'
  | 'shares'

/** What every platform tells of a video. */
export const commonFields = {
  duration: 'durationSeconds',
  thumbnail: 'thumbnail',
  createdAt: 'timestamp',
  likes: 'likeCount',
  comments: 'commentCount',
} as const
