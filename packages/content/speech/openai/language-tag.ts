import { canonicalTag, languageNamed } from '#packages/content/languages/languages.ts'

/** The BCP 47 tag of the language that an endpoint names, as a name (`english`) or as a code. Null if it is neither. */
export function languageTag(answer: unknown): string | null {
  if (typeof answer !== 'string') return null
  const name = answer.trim().toLowerCase()
  if (!/^[a-z]{2,3}(-[a-z0-9]+)*$/.test(name)) return languageNamed(name) ?? null
  return canonicalTag(name) ?? null
}
