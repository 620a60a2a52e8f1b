import { decodeHTMLStrict } from 'entities'
import { commonFields } from '../live-check.ts'
import type { PlatformDefinition } from '../platform-definition.ts'
import { facebookUrls } from './urls.ts'

/** The text that Facebook puts in front of a page's title: "12K views · 345 reactions | ". */
const counts = /^[\d.,]+[KMB]? (?:views|reactions|comments|shares)\b[^|]*\|\s*/i

/** A video's title. For a reel yt-dlp gives the title of the page: "12K views · 3 reactions | words | author". */
export function titleOfPage(title: string | null): string | null {
  if (title === null || !counts.test(title)) return title
  return title.replace(counts, '').replace(/ \| [^|]+$/, '')
}

/** A video's author. If yt-dlp finds none, it gives the page's title, HTML-escaped, which may end with the author. */
export function authorOfPage(uploader: string | null): string | null {
  if (uploader === null || uploader.endsWith(' | Facebook')) return null
  const text = decodeHTMLStrict(uploader)
  if (!counts.test(text)) return text
  const last = text.split('|').at(-1) ?? ''
  return last.replace(/ on Reels$/, '').trim() || null
}

export const facebook = {
  name: 'facebook',
  label: 'Facebook',
  urls: facebookUrls,
  ytdlp: {
    extractors: ['facebook.*'],
    pages:
      /https:\/\/www\.facebook\.com\/(?:(?:reel|watchparty)\/\d{1,20}|watch\/\?v=\d{1,20}|permalink\.php\?story_fbid=\w{1,100}&id=\d{1,20}|(?:groups\/)?(?:[\w.-]|%[89A-F][\dA-F]){1,200}\/posts\/(?:pfbid[A-Za-z\d]{1,100}|\d{1,20}))/,
  },
  readsPerMinute: 20,
  titleOf: ({ title }) => titleOfPage(title),
  authorOf: ({ uploader }) => authorOfPage(uploader),
  // Facebook hides some accounts behind ids that begin with pfbid. Those have no page of their own.
  accountOf: ({ uploaderId: id }) => ({ id, url: /^\d+$/.test(id ?? '') ? `https://www.facebook.com/${id}` : null }),
  search: { webTerms: 'site:facebook.com' },
  check: {
    urls: [
      'https://www.facebook.com/watch/?v=10155529876156509',
      'https://www.facebook.com/watch/?v=10153231379946729',
    ],
    fields: {
      title: 'title',
      author: 'uploader',
      authorId: 'uploaderId',
      ...commonFields,
      views: 'viewCount',
      shares: 'repostCount',
    },
  },
} as const satisfies PlatformDefinition
