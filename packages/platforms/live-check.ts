import type { VideoInfo } from './ytdlp/info.ts'

/** The videos, creators and lists that `npm run platforms -- check` reads from the real platform. */
export type LiveCheck = {
  /** Public videos that have existed for years. Most are in the tests of yt-dlp too. */
  urls: readonly string[]
  /** A creator, if we serve the platform's profiles. */
  creator?: string
  /** Lists of videos, if we serve them: the handle of a channel, the id of a playlist. */
  lists?: { channel: string; playlist: string }
  /**
   * The fields that the platform shows of a video, with their names in yt-dlp. The platform hides the others from
   * guests, or yt-dlp does not read them.
   */
  fields: Readonly<Partial<Record<CheckedField, keyof VideoInfo>>>
  /** The platform offers guests no captions. */
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
  | 'authorId'
  | 'description'
  | 'tags'

/** The fields that every platform shows of a video. */
export const commonFields = {
  duration: 'durationSeconds',
  thumbnail: 'thumbnail',
  createdAt: 'timestamp',
  likes: 'likeCount',
  comments: 'commentCount',
} as const
