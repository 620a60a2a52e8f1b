import { decodeHTML } from 'entities'

/** The addresses of a post's own videos and pictures at the end of its text. */
const ownMedia = /(?:\s*<a\b[^>]*>(?:pic\.(?:twitter|x)\.com|https:\/\/t\.co)\/\w+<\/a>)+\s*$/

/** The text of a post, from the HTML that X offers for embedding. Null if it has none. */
export function wordsOfEmbedded(html: string): string | null {
  const [, paragraph = ''] = /<p\b[^>]*>(.*?)<\/p>/s.exec(html) ?? []
  const text = paragraph
    .replace(ownMedia, '')
    .replace(/<br\s*\/?>/g, '\n')
    .replace(/<[^>]*>/g, '')
  return decodeHTML(text).trim() || null
}
