import type { Disturbance } from '../disturbance.ts'

const ITEM = '__DEFAULT_SCOPE__.*.itemInfo.itemStruct'

const without = (...fields: string[]): Disturbance[] =>
  fields.map((field) => ({ host: 'www.tiktok.com', path: '/@', how: { kind: 'without', field: `${ITEM}.${field}` } }))

/** For each field of a video: the disturbances that remove it from the answers. */
export const tiktokFields = {
  title: without('desc'),
  author: without('author.nickname'),
  authorId: without('author.id'),
  views: without('stats.playCount'),
  likes: without('stats.diggCount'),
  comments: without('stats.commentCount'),
  shares: without('stats.shareCount'),
  published: without('createTime'),
  duration: without('video.duration', 'music.duration'),
  thumbnail: without('video.cover', 'video.originCover', 'video.dynamicCover'),
  captions: without('video.subtitleInfos'),
} satisfies Record<string, Disturbance[]>
