import { tagsOf } from '#packages/platforms/reading/tags.ts'
import type { CatalogueVideo } from './catalogue.ts'

/** The metadata of a video beside its title, author, length, views, likes and picture. */
export const toldBesides = ({ description, published, creator, comments }: CatalogueVideo) => ({
  description,
  publishedAt: new Date(published).toISOString(),
  authorId: creator.id,
  commentCount: comments,
  tags: tagsOf(description),
})
