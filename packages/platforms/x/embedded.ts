import { decodeHTML } from 'entities'

/** The addresses of a post's own videos and pictures, with which its words end. */
const ownMedia = /(?:\s*<a\b[^>]*>(?:pic\.(?:twitter|x)\.com|https:\/\/t\.co)\/\w+<\/a>)+\s*$/

/** The words of a post, in the HTML that X gives to embed it; null where it has none. */
export function wordsOfEmbedded(html: string): string | null {
  const [, paragraph = ''] = /<p\b[^>]*>(.*?)<\/p>/s.exec(html) ?? []
  const text = paragraph
    .replace(ownMedia, '')
    .replace(/<br\s*\/?>/g, '\n')
    .replace(/<[^>]*>/g, '')
  return decodeHTML(text).trim() || null
}
