import { ErrorType } from '@eventstore/db-client'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { type TlsTrouble, tlsTroubleOf } from '../../tls-troubles.ts'
import { typeOf } from './failures.ts'

/** The kind of a call: to streams, or to the feed of all streams, which needs a right of its own. */
export type Asked = 'streams' | 'feed'

const what = 'the event store'
const unauthenticated = 16

const grant =
  "as an administrator, once: setStreamMetadata('$all', {acl: {readRoles: ['$admins', the user of EVENT_STORE_URL]}})"

export const refused = (advice: string, cause: unknown): RefusedError => new RefusedError(what, advice, cause)

const tlsAdvice: Readonly<Record<TlsTrouble, string>> = {
  'other name': 'its certificate is for another name; EVENT_STORE_URL has to use the name that the certificate is for',
  expired: 'its certificate has expired; give the server a new one',
  'not trusted':
    'its certificate is not trusted; let tlsCAFile in EVENT_STORE_URL name the file of the authority that signed it',
  'no TLS': 'it speaks no TLS; put tls=false into EVENT_STORE_URL, or let the server speak TLS',
}

/** The refusal in an error of a TLS connection; undefined where the server is away. */
export function tlsRefusalOf(error: unknown): RefusedError | undefined {
  const trouble = tlsTroubleOf(error)
  return trouble && refused(tlsAdvice[trouble], error)
}

/** The store is not the one seen before: nothing is read from it or written to it until that one is back. */
export class PutBackError extends RefusedError {
  constructor(sentence: string) {
    super(what, sentence, undefined)
    this.message = sentence
  }
}

/** The port's error for a refusal; undefined for any other error. */
export function refusalOf(error: unknown, asked: Asked): RefusedError | undefined {
  if (error instanceof RefusedError) return error
  const type = typeOf(error)
  if (type === ErrorType.ACCESS_DENIED) {
    if ((error as { code?: number }).code === unauthenticated)
      return refused('it does not know the user and password of EVENT_STORE_URL', error)
    if (asked === 'feed') return refused(`the user of EVENT_STORE_URL may not read $all; ${grant}`, error)
    return refused('the user of EVENT_STORE_URL may not read or write its streams; grant it both', error)
  }
  return type === ErrorType.UNAVAILABLE ? tlsRefusalOf(error) : undefined
}
