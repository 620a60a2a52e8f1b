import { invalidRequest } from '#packages/errors/service-error.ts'

/**
 * A language tag in its canonical spelling: `EN-us` is `en-US`; null where none was given.
 * @throws ServiceError invalid_request
 */
export function languageOf(tag: string | undefined): string | null {
  if (tag === undefined) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    throw invalidRequest({ path: 'lang', message: 'must be a BCP 47 language tag' })
  }
}
