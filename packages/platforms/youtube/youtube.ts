import type { PlatformDefinition } from '../platform-definition.ts'
import { titleOfInfo } from '../videos/title-of-info.ts'
import { createYouTubeSearch } from './search.ts'
import { youtubeUrls } from './urls.ts'

export const youtube = {
  name: 'youtube',
  label: 'YouTube',
  urls: youtubeUrls,
  ytdlp: {
    extractors: ['youtube.*'],
    pages: /https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}/,
  },
  titleOf: titleOfInfo,
  authorOf: ({ channel, uploader }) => channel ?? uploader,
  search: { create: createYouTubeSearch },
  check: {
    urls: ['https://www.youtube.com/watch?v=jNQXAC9IVRw', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    fields: {
      title: 'title',
      author: 'channel',
      duration: 'durationSeconds',
      thumbnail: 'thumbnail',
      createdAt: 'timestamp',
      views: 'viewCount',
      likes: 'likeCount',
      comments: 'commentCount',
    },
  },
} as const satisfies PlatformDefinition
