import { commonFields } from '../live-check.ts'
import type { PlatformDefinition } from '../platform-definition.ts'
import { createInstagramProfiles } from './profile.ts'
import { instagramUrls } from './urls.ts'

/** The endpoint belongs to Instagram's app, so we send the app's headers. */
const ofApp = {
  'user-agent':
    'Instagram 275.0.0.27.98 Android (33/13; 280dpi; 720x1423; Xiaomi; Redmi 7; onclite; qcom; en_US; 458229237)',
  'x-ig-app-locale': 'en_US',
}

const profileUrlOf = (username: string): string => `https://www.instagram.com/${username}/`

export const instagram = {
  name: 'instagram',
  label: 'Instagram',
  urls: instagramUrls,
  ytdlp: {
    extractors: ['instagram.*'],
    pages: /https:\/\/www\.instagram\.com\/(?:p|reel)\/[\w-]{5,64}\//,
  },
  readsPerMinute: 10,
  // Instagram has no titles (yt-dlp makes up "Video by …"): the caption is the title
  titleOf: ({ title, description }) => description ?? title,
  authorOf: ({ uploader, channel }) => uploader ?? channel,
  accountOf: ({ channel, uploaderId }) => ({ id: uploaderId, url: channel === null ? null : profileUrlOf(channel) }),
  search: { webTerms: 'site:instagram.com' },
  profile: {
    usernames: /^(?!\.|.*\.\.|.*\.$)[a-z\d_.]{1,30}$/,
    usernamesInWords: '1 to 30 letters, digits, underscores and periods',
    urlOf: profileUrlOf,
    create: createInstagramProfiles,
  },
  oembed: { endpoint: 'https://i.instagram.com/api/v1/oembed/', headers: ofApp },
  check: {
    urls: ['https://www.instagram.com/reel/Chunk8-jurw/', 'https://www.instagram.com/p/aye83DjauH/'],
    creator: 'instagram',
    fields: {
      title: 'description',
      author: 'uploader',
      authorId: 'uploaderId',
      ...commonFields,
    },
    withoutCaptions: true,
  },
} as const satisfies PlatformDefinition
