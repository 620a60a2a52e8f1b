import { tagsOf } from '#packages/platforms/reading/tags.ts'
import type { CatalogueVideo } from './catalogue.ts'
import { secondsOf } from './films.ts'

/** What every platform tells yt-dlp of a video, in yt-dlp's words. */
export const toldToYtdlp = ({ likes, comments, published }: CatalogueVideo) => ({
  like_count: likes,
  comment_count: comments,
  timestamp: Date.parse(published) / 1_000,
})

/** The metadata of a video, except what its platform tells otherwise: that is given. */
export const metadataOf = <Given extends object>(video: CatalogueVideo, given: Given) => ({
  title: video.description,
  author: video.creator.name,
  platform: video.platform,
  duration: secondsOf(video.film),
  viewCount: video.views,
  likeCount: video.likes,
  description: video.description,
  publishedAt: new Date(video.published).toISOString(),
  authorId: video.creator.id,
  commentCount: video.comments,
  shareCount: video.shares,
  tags: tagsOf(video.description),
  isLive: null,
  ...given,
})
