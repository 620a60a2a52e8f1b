import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import type { Query } from '#packages/foundation/validation/query.ts'
import type { ListName } from '#packages/platforms/youtube/lists/list-name.ts'

export const MAX_URL_LENGTH = 2048

/**
 * The list that exactly one of these fields names.
 * @param within precedes the names of the fields, such as `source.`
 * @throws ServiceError invalid_request
 */
export function listNameIn(query: Query, fields: readonly ListName['field'][], within = ''): ListName {
  const [name, other] = fields.flatMap((field): ListName[] => {
    const text = query.text(`${within}${field}`, MAX_URL_LENGTH)
    return text === undefined ? [] : [{ field, text }]
  })
  if (name === undefined)
    throw invalidRequest({
      path: `${within}url`,
      message: `is required if no ${fields.slice(1).join(' or ')} is given`,
    })
  if (other) throw invalidRequest({ path: `${within}${other.field}`, message: `cannot be combined with ${name.field}` })
  return name
}

const words: Record<ListName['field'], string> = { url: 'URL', handle: 'handle', id: 'id' }

/** The error for a name of nothing on YouTube. @param what `a channel` */
export const namesNo = (what: string, { field }: ListName, within = '') =>
  invalidRequest({ path: `${within}${field}`, message: `is not the ${words[field]} of ${what} on YouTube` })
