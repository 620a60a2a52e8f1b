import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

/** The vocabulary of a request, without spaces around it. Null: none. @throws ServiceError invalid_request */
export function vocabularyOf(text: string | undefined): string | null {
  if (text === undefined) return null
  if (/\p{Cc}/u.test(text))
    throw invalidRequest({ path: 'vocabulary', message: 'must be one line of text: put commas between its terms' })
  return text.toWellFormed().trim()
}
