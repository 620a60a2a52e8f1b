import { primaryLanguage } from './primary-language.ts'

/** The closeness of a language in another script than is asked for. */
export const OTHER_SCRIPT = 4

/**
 * How well a text in one language serves who wants another, from 0, the very tag, to OTHER_SCRIPT, the same language in
 * another script; undefined for another language. Between them: the language without a region, where its likely script is the
 * same; its likeliest region; any other region. Chinese of Taiwan and Hong Kong is so written in Hant (CLDR).
 * @param tag canonical, as `wanted`
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
