/** Codes of one language under two names (CLDR). */
const aliases = new Map([['nb', 'no']])

/** The language of a tag without script, region and the rest. */
function primaryLanguage(tag: string): string {
  const [code = tag] = tag.split('-')
  return aliases.get(code) ?? code
}

/** Whether two tags name one language, whatever their regions and scripts. */
export const sameLanguage = (one: string, other: string): boolean => primaryLanguage(one) === primaryLanguage(other)

/** The closeness of the same language in another script. */
export const OTHER_SCRIPT = 4

/**
 * How well a text in one language serves a reader of another. 0 is the same tag; OTHER_SCRIPT is the same language in
 * another script; undefined is another language. Between them: the language without a region, if its likely script is
 * the same; its likeliest region; any other region. This treats Chinese of Taiwan and Hong Kong as written in Hant
 * (CLDR).
 * @param tag canonical, like `wanted`
 */
export function closeness(tag: string, wanted: string): 0 | 1 | 2 | 3 | typeof OTHER_SCRIPT | undefined {
  if (primaryLanguage(tag) !== primaryLanguage(wanted)) return undefined
  if (tag === wanted) return 0
  const [one, other] = [new Intl.Locale(tag), new Intl.Locale(wanted)]
  const script = one.maximize().script
  if (script !== other.maximize().script) return OTHER_SCRIPT
  if (one.region === undefined) return 1
  const likeliest = new Intl.Locale(`${other.language}-${script}`).maximize().region
  return one.region === likeliest ? 2 : 3
}
