/** The metadata of an unknown video, as its event has them. */
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

/** The fields that a search result leaves out: all but title, author, counts and date. */
export const untoldResult = { description: null, authorId: null, authorUrl: null, tags: null, isLive: null }
