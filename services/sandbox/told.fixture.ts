import { tagsOf } from '#packages/platforms/reading/tags.ts'
import type { CatalogueVideo } from './catalogue.ts'

/** What every platform tells yt-dlp of a video, in yt-dlp's words. */
export const toldToYtdlp = ({ likes, comments, published }: CatalogueVideo) => ({
  like_count: likes,
  comment_count: comments,
  timestamp: Date.parse(published) / 1_000,
})

/** The metadata of a video beside its title, author, length, views, likes and picture. */
export const toldBesides = ({ description, published, creator, comments }: CatalogueVideo) => ({
  description,
  publishedAt: new Date(published).toISOString(),
  authorId: creator.id,
  commentCount: comments,
  tags: tagsOf(description),
})
