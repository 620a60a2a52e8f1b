/** The world's languages: their tags (BCP 47) and their names, English and native, from ICU. */
import { once } from '#packages/foundation/concurrency/once.ts'
import { errorsBetween } from './errors-between.ts'

/** Languages without an ISO 639-1 code that videos and speech engines use often. */
const moreCodes = 'ast ceb ckb fil gsw haw hmn ilo mni nan sah wuu yue'

/** Names that people and speech engines use in addition to ICU's. */
const otherNames: Readonly<Record<string, string>> = {
  bengali: 'bn',
  'bahasa indonesia': 'id',
  castilian: 'es',
  farsi: 'fa',
  flemish: 'nl',
  greenlandic: 'kl',
  haitian: 'ht',
  letzeburgesch: 'lb',
  mandarin: 'zh',
  moldavian: 'ro',
  moldovan: 'ro',
  myanmar: 'my',
  nynorsk: 'nn',
  oriya: 'or',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'fil',
  uighur: 'ug',
  valencian: 'ca',
}

/** Codes that name no single language: undetermined, none, several, uncoded. */
export const noLanguage: ReadonlySet<string> = new Set(['und', 'zxx', 'mul', 'mis'])

const english = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** A name for comparison: without case, accents and punctuation. `Français` is `francais`. */
const folded = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[\s()_,-]+/g, ' ')
    .trim()

/** The canonical spelling of a well-formed tag: `EN-us` is `en-US`, `eng` is `en`. Undefined for any other text. */
export function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** Whether a canonical tag begins with the code of a language: `en-US` does, `xx` and `english` do not. */
export function isLanguage(tag: string): boolean {
  const [code = ''] = tag.split('-')
  return /^[a-z]{2,8}$/.test(code) && !noLanguage.has(code) && english.of(code) !== undefined
}

function namesOfAll(): ReadonlyMap<string, string> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const pairs = letters.flatMap((one) => letters.map((other) => one + other))
  const codes = [...pairs, ...moreCodes.split(' ')].filter((code) => canonicalTag(code) === code && isLanguage(code))
  return new Map([...codes.flatMap(namesOf), ...Object.entries(otherNames)])
}

/** The English and the native name of a language, if ICU has them. */
function namesOf(code: string): [string, string][] {
  const isTranslated = Intl.DisplayNames.supportedLocalesOf([code]).length > 0
  const native = isTranslated ? new Intl.DisplayNames([code], { type: 'language' }).of(code) : undefined
  return [english.of(code), native].flatMap((name): [string, string][] => (name ? [[folded(name), code]] : []))
}

/** Every name with its tag. Making them takes about 15 ms. */
const tagsByName = once(namesOfAll)

/** The tag of the language with this English or native name: `english` is `en`, `Deutsch` is `de`. */
export const languageNamed = (name: string): string | undefined => tagsByName().get(folded(name))

/** The longest text that is compared with names. */
const MAX_NAME_LENGTH = 35

/** The language that an unknown tag or misspelt name probably means. Null if none is close. */
export function likelyLanguage(given: string): string | null {
  const wanted = folded(given).slice(0, MAX_NAME_LENGTH)
  const [first = ''] = wanted.split(' ')
  // `jp` is the country Japan; its language is `ja`
  if (/^[a-z]{2}$/.test(first)) return languageOfRegion(first.toUpperCase())
  const [nearest] = Array.from(tagsByName(), ([name, tag]) => ({ tag, errors: errorsBetween(wanted, name) }))
    .filter(({ errors }) => errors <= Math.min(2, Math.floor(wanted.length / 3)))
    .toSorted((a, b) => a.errors - b.errors)
  return nearest?.tag ?? null
}

function languageOfRegion(region: string): string | null {
  if (regions.of(region) === undefined) return null
  const { language } = new Intl.Locale(`und-${region}`).maximize()
  return language === 'und' ? null : language
}
