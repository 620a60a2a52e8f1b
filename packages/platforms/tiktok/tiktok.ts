import { commonFields } from '../live-check.ts'
import type { PlatformDefinition } from '../platform-definition.ts'
import { createTikTokProfiles } from './profile.ts'
import { tiktokUrls } from './urls.ts'

const profileUrlOf = (username: string): string => `https://www.tiktok.com/@${username}`

export const tiktok = {
  name: 'tiktok',
  label: 'TikTok',
  urls: tiktokUrls,
  ytdlp: {
    extractors: ['tiktok.*', 'vm.tiktok'],
    pages: /https:\/\/www\.tiktok\.com\/@[\w.-]{1,64}\/video\/\d{6,20}/,
    // the piece of music under the video
    foreignSound: 'audio',
  },
  readsPerMinute: 30,
  // TikTok truncates titles
  titleOf: ({ title, description }) => description ?? title,
  authorOf: ({ channel, uploader }) => channel ?? uploader,
  accountOf: ({ uploader, uploaderId }) => ({ id: uploaderId, url: uploader === null ? null : profileUrlOf(uploader) }),
  search: { webTerms: 'site:tiktok.com' },
  profile: {
    usernames: /^(?!.*\.$)[a-z\d_.]{2,24}$/,
    usernamesInWords: '2 to 24 letters, digits, underscores and periods',
    urlOf: profileUrlOf,
    create: createTikTokProfiles,
  },
  oembed: { endpoint: 'https://www.tiktok.com/oembed' },
  check: {
    urls: [
      'https://www.tiktok.com/@hankgreen1/video/7047596209028074758',
      'https://www.tiktok.com/@patroxofficial/video/6742501081818877190',
    ],
    creator: 'tiktok',
    fields: {
      title: 'description',
      author: 'channel',
      authorId: 'uploaderId',
      ...commonFields,
      views: 'viewCount',
      shares: 'repostCount',
    },
  },
} as const satisfies PlatformDefinition
