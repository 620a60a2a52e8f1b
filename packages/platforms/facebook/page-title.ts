import { decodeHTMLStrict } from 'entities'

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
