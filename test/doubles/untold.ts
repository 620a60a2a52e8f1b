/** The metadata of a video of which nothing is known, as its event has it. */
export const untold = {
  title: null,
  author: null,
  viewCount: null,
  likeCount: null,
  thumbnail: null,
  description: null,
  publishedAt: null,
  authorId: null,
  authorUrl: null,
  commentCount: null,
  shareCount: null,
  tags: null,
}

/** What a search result does not tell beyond title, author, counts and date. */
export const untoldResult = { description: null, authorId: null, authorUrl: null, tags: null, isLive: null }
