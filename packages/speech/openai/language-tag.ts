/** ISO 639-1 codes (639-3 where there is none) of the languages Whisper knows. */
const codes =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh'

/** Names Whisper uses beside, or instead of, the usual English ones. */
const aliases: Record<string, string> = {
  castilian: 'es',
  valencian: 'ca',
  flemish: 'nl',
  haitian: 'ht',
  'haitian creole': 'ht',
  letzeburgesch: 'lb',
  moldavian: 'ro',
  moldovan: 'ro',
  mandarin: 'zh',
  myanmar: 'my',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
}

const display = new Intl.DisplayNames(['en'], { type: 'language' })
const codeOf = new Map([
  ...codes.split(' ').map((code): [string, string] => [(display.of(code) ?? code).toLowerCase(), code]),
  ...Object.entries(aliases),
])

/** The BCP 47 tag of the language an endpoint names, as a name (`english`) or as a code; null when it is neither. */
export function languageTag(answer: unknown): string | null {
  if (typeof answer !== 'string') return null
  const name = answer.trim().toLowerCase()
  const code = codeOf.get(name)
  if (code) return code
  if (!/^[a-z]{2,3}(-[a-z0-9]+)*$/.test(name)) return null
  try {
    return Intl.getCanonicalLocales(name)[0] ?? null
  } catch {
    return null // not a tag after all
  }
}
