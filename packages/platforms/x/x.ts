import { decodeHTML } from 'entities'
import { commonFields } from '../live-check.ts'
import type { PlatformDefinition } from '../platform-definition.ts'
import { titleOfInfo } from '../videos/title-of-info.ts'
import { xUrls } from './urls.ts'

/** The addresses of a post's own videos and pictures, with which its words end. */
const ownMedia = /(?:\s*<a\b[^>]*>(?:pic\.(?:twitter|x)\.com|https:\/\/t\.co)\/\w+<\/a>)+\s*$/

/** The words of a post, in the HTML that X gives to embed it; null where it has none. */
function wordsOfEmbedded(html: string): string | null {
  const [, paragraph = ''] = /<p\b[^>]*>(.*?)<\/p>/s.exec(html) ?? []
  const text = paragraph
    .replace(ownMedia, '')
    .replace(/<br\s*\/?>/g, '\n')
    .replace(/<[^>]*>/g, '')
  return decodeHTML(text).trim() || null
}

/** The words of a post as X writes them in its data: as HTML has them, and behind them the link to the video itself. */
const wordsOfPost = (text: string): string => decodeHTML(text.replace(/\s*https:\/\/t\.co\/\w+$/, ''))

export const x = {
  name: 'x',
  label: 'X',
  urls: xUrls,
  ytdlp: {
    extractors: ['twitter.*'],
    pages: /https:\/\/x\.com\/\w{1,15}\/status\/\d{1,20}/,
  },
  readsPerMinute: 30,
  titleOf: titleOfInfo,
  authorOf: ({ uploader }) => uploader,
  descriptionOf: ({ description }) => description && wordsOfPost(description),
  // what yt-dlp calls the id of the uploader is the handle
  accountOf: ({ channelId, uploaderId }) => ({
    id: channelId,
    url: uploaderId === null ? null : `https://x.com/${uploaderId}`,
  }),
  search: { webTerms: '(site:x.com OR site:twitter.com)' },
  oembed: { endpoint: 'https://publish.x.com/oembed?omit_script=1', titleIn: wordsOfEmbedded },
  check: {
    urls: ['https://x.com/starwars/status/665052190608723968', 'https://x.com/NASA/status/1410624005669169154'],
    fields: {
      // X's title is author and text
      title: 'description',
      author: 'uploader',
      authorId: 'channelId',
      ...commonFields,
      views: 'viewCount',
      shares: 'repostCount',
    },
  },
} as const satisfies PlatformDefinition
