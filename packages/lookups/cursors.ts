import { createHash } from 'node:crypto'
import { invalidRequest } from '#packages/errors/service-error.ts'
import { beginning, type Place } from '#packages/platforms/paging/take-items.ts'
import type { Sealer } from '#packages/secrets/sealer.ts'

/**
 * The cursors of lists that platforms give in pages. They are sealed: a valid one proves that this service made it,
 * for the same list. So callers cannot choose what we send to the platform.
 */
export class Cursors {
  readonly #sealer: Sealer

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** @param list identifies the request; a null place: nothing follows */
  seal(list: string, place: Place | null): string | null {
    if (place === null) return null
    return this.#sealer.seal('cursor', Buffer.from(JSON.stringify([hashOf(list), place.skip, place.token])))
  }

  /** The place in a cursor of this list. @throws ServiceError invalid_request */
  open(list: string, cursor: string | undefined): Place {
    if (cursor === undefined) return beginning
    const bytes = this.#sealer.unseal('cursor', cursor)
    if (bytes === undefined) throw invalidRequest({ path: 'cursor', message: 'is not one that this service has given' })
    const [hash, skip, token] = JSON.parse(bytes.toString()) as [string, number, string | null]
    if (hash !== hashOf(list)) throw invalidRequest({ path: 'cursor', message: 'was given for other parameters' })
    return { token, skip }
  }
}

const hashOf = (list: string): string => createHash('sha256').update(list).digest('base64url').slice(0, 16)
