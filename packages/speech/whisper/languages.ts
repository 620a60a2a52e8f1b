import { baseLanguage } from '#packages/languages/base-language.ts'

/** Whisper's codes that differ from the language of the tag. */
const codes: Readonly<Record<string, string>> = { nb: 'no', fil: 'tl', jv: 'jw', cmn: 'zh' }
const tags: Readonly<Record<string, string>> = { jw: 'jv' }

/** Whisper's code of the language that a customer requests. Undefined if none is requested. */
export function whisperCode(lang: string | null): string | undefined {
  const language = baseLanguage(lang)
  return language === undefined ? undefined : (codes[language] ?? language)
}

/** The BCP 47 tag of one of Whisper's codes. */
export const languageTag = (code: string): string => tags[code] ?? code
