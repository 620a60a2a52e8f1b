/** Invisible characters that come along when text is copied from chats and pages. */
const INVISIBLE = String.raw`[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|%E2%80%8B|%EF%BB%BF`
const BLANK = String.raw`(?:\s|${INVISIBLE}|%20)+`
const blanksAround = new RegExp(`^${BLANK}|${BLANK}$`, 'giu')

/** The signs that people and programs put around a link: each opening sign with the one that closes it. */
const pairs = new Map(
  [...'<>()[]{}""\'\'``“”‘’«»‹›„“「」『』【】《》〈〉（）［］＜＞'.matchAll(/(.)(.)/gu)].map(([, a, b]) => [a, b]),
)

/** A Markdown link `[text](link "title")`, or picture, and the link in it. */
const markdown = /!?\[[^\]]*\]\(\s*<?(https?:\/\/[^\s<>]+?)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/gi

/** A link in a text: not the rest of another link, nor the target of another scheme. */
const links = /(?<![\w+./=&?#%@-])https?:\/\/[^\s<>"`“”«»「」『』【】《》]+/giu

/** The sentence's punctuation after a link. A file's name may end in it, but a platform's id does not. */
const trailing = /(?:[.,:;!?…。，)\]}>"'»”]|%20)+$/u

/** Removes blanks, invisible characters, and brackets or quotes around a URL (RFC 3986, appendix C). */
export function withoutWrapping(pasted: string): string {
  const text = pasted.replace(blanksAround, '').replace(/^url:\s*(?=https?:)/i, '')
  const isWrapped = text.length > 1 && pairs.get(text[0] ?? '') === text.at(-1)
  return isWrapped ? withoutWrapping(text.slice(1, -1)) : text
}

export const withoutTrailing = (link: string): string => link.replace(trailing, '')

/** The http(s) links in a text, for example shared by an app or in Markdown, each once. */
export function linksIn(text: string): string[] {
  const flat = text.replace(markdown, ' $1 ')
  return [...new Set([...flat.matchAll(links)].map(({ 0: link, index }) => inPair(link, flat[index - 1])))]
}

/** A link up to the sign that closes the bracket or quote before it. */
function inPair(link: string, before: string | undefined): string {
  const closer = pairs.get(before ?? '')
  const end = closer === undefined ? -1 : link.lastIndexOf(closer)
  return end > 0 && /^\p{P}*$/u.test(link.slice(end + 1)) ? link.slice(0, end) : link
}
