import { canonicalTag, noLanguage } from '#packages/content/languages/languages.ts'

/** The BCP 47 tag for any language code of a container (`eng`, `ger`, `pt-br`). Null if it names no language. */
export function toBcp47(code: string | undefined): string | null {
  if (!code || code.length > 35) return null
  const tag = canonicalTag(code.replaceAll('_', '-'))
  return tag && !noLanguage.has(tag) ? tag : null
}

/** The language of the requested captions. */
export type LanguageWish = {
  /** BCP 47 tag; null: the original. */
  lang: string | null
  /** Captions in any other language do not count. */
  strictLang: boolean
  /** Captions in another language that the platform's machine has translated into `lang` count too. */
  translate: boolean
}

/** Wants captions in the original language, or in any that exists. */
export const anyLanguage: LanguageWish = { lang: null, strictLang: false, translate: false }
