const MAX_LENGTH = 300

/** The value of the first of these tags that a container has; null when it has none. */
export function tagOf(tags: Record<string, string>, ...names: string[]): string | null {
  return names.map((name) => clean(tags[name] ?? '')).find((value) => value !== '') ?? null
}

/** The file name in a Content-Disposition header (RFC 6266), or undefined. */
export function dispositionName(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined
  const extended = /filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (extended) return decoded(extended)
  const [, quoted, token] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? token
}

/** The file name at the end of a URL's path; empty when there is none. */
export const urlName = (url: string): string => decoded(new URL(url).pathname.split('/').at(-1) ?? '')

/** A title from a file's name: without directory and extension; null when nothing is left. */
export function titleOfName(name: string): string | null {
  const title = clean((name.split(/[/\\]/).at(-1) ?? '').replace(/\.[a-z\d]{2,5}$/i, ''))
  return title === '' ? null : title
}

const clean = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // not UTF-8: show it unchanged
    return text
  }
}
