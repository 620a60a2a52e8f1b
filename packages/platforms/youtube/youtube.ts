import { commonFields } from '../live-check.ts'
import type { PlatformDefinition } from '../platform-definition.ts'
import { titleOfInfo } from '../videos/title-of-info.ts'
import { channelOf } from './channel-of.ts'
import { createYouTubeSearch } from './search.ts'
import { youtubeUrls } from './urls.ts'
import { createWatch } from './watch/create-watch.ts'

export const youtube = {
  name: 'youtube',
  label: 'YouTube',
  urls: youtubeUrls,
  ytdlp: {
    extractors: ['youtube.*'],
    pages: /https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}/,
  },
  second: { way: 'innertube', create: createWatch },
  readsPerMinute: 60,
  titleOf: titleOfInfo,
  authorOf: ({ channel, uploader }) => channel ?? uploader,
  accountOf: ({ channelId }) => channelOf(channelId),
  tagsOf: ({ tags }) => tags,
  search: { create: createYouTubeSearch },
  oembed: { endpoint: 'https://www.youtube.com/oembed?format=json' },
  check: {
    lists: { channel: 'jawed', playlist: 'UU4QobU6STFB0P71PMvOGN5A' },
    urls: ['https://www.youtube.com/watch?v=jNQXAC9IVRw', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    fields: {
      title: 'title',
      author: 'channel',
      ...commonFields,
      views: 'viewCount',
      authorId: 'channelId',
      description: 'description',
      tags: 'tags',
    },
  },
} as const satisfies PlatformDefinition
