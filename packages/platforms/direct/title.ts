const MAX_LENGTH = 300

/** What a container says in one of these tags, in their order; null when it says nothing. */
export function tagOf(tags: Record<string, string>, ...names: string[]): string | null {
  return names.map((name) => clean(tags[name] ?? '')).find((value) => value !== '') ?? null
}

/** The name a host gives a file (Content-Disposition, RFC 6266), or undefined. */
export function dispositionName(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined
  const extended = /filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (extended) return decoded(extended)
  const [, quoted, token] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? token
}

/** The name of the file that a URL ends in; empty when it ends in none. */
export const urlName = (url: string): string => decoded(new URL(url).pathname.split('/').at(-1) ?? '')

/** A file's name as a title: without its directory and ending; null when nothing is left. */
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
    // not UTF-8: shown as it is written
    return text
  }
}
