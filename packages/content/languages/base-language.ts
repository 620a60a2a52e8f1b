/** The language of a BCP 47 tag: `pt-BR` → `pt`. Undefined if the tag names none. */
export function baseLanguage(tag: string | null): string | undefined {
  if (tag === null) return undefined
  try {
    const { language } = new Intl.Locale(tag)
    return language === 'und' ? undefined : language
  } catch {
    return undefined // an invalid tag gives no hint
  }
}
