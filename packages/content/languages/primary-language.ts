/** Codes of one language under two names (CLDR). */
const aliases = new Map([['nb', 'no']])

/** The language of a tag without script, region and the rest. */
export function primaryLanguage(tag: string): string {
  const [code = tag] = tag.split('-')
  return aliases.get(code) ?? code
}

/** Whether two tags name one language, whatever their regions and scripts. */
export const sameLanguage = (one: string, other: string): boolean => primaryLanguage(one) === primaryLanguage(other)
