import { canonicalTag, isLanguage, languageNamed, likelyLanguage } from '#packages/content/languages/languages.ts'
import type { JobOptions } from '#packages/domain/job/events.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

/**
 * The requested language, as a tag in canonical spelling: `EN-us` is `en-US`, `english` is `en`. A well-formed tag of
 * no known language stays unchanged, as a hint. Null if none was given.
 * @param isStrict whether the language is required: then a tag of no known language is refused
 * @throws ServiceError invalid_request
 */
export function languageOf(given: string | undefined, isStrict: boolean): string | null {
  if (given === undefined) return null
  const tag = canonicalTag(given)
  if (tag !== undefined && isLanguage(tag)) return tag
  const named = languageNamed(given)
  if (named !== undefined) return named
  if (tag !== undefined && !isStrict) return tag
  const likely = likelyLanguage(given)
  const hint = likely === null ? '' : `; did you mean ${likely}?`
  throw invalidRequest({ path: 'lang', message: `must be a BCP 47 tag or the name of a language${hint}` })
}

/** The options about the language. Without a language they change nothing, and are dropped. */
export const languageOptionsOf = (
  language: string | null,
  { strictLang = false, translate = false }: Partial<JobOptions>,
): Pick<JobOptions, 'strictLang' | 'translate'> => ({
  strictLang: strictLang && language !== null,
  translate: translate && language !== null,
})
