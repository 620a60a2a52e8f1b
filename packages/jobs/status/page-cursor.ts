import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import type { PageQuestion } from '#packages/ports/views.ts'

/** A place in a list that is ordered by an instant. */
export type Place = NonNullable<PageQuestion['after']>

export const cursorOf = ({ by, id }: Place): string => Buffer.from(`${by} ${id}`).toString('base64url')

/** @throws ServiceError invalid_request for a cursor that was never a `nextCursor` */
export function placeOf(cursor: string): Place {
  const [, by, id] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (by === undefined || id === undefined)
    throw invalidRequest({ path: 'cursor', message: 'is not a cursor that this list returned' })
  return { by: Number(by), id }
}
