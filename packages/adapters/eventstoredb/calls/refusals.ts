import { ErrorType } from '@eventstore/db-client'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { tlsAdviceFor, tlsTroubleOf } from '../../tls-troubles.ts'
import { typeOf } from './failures.ts'

/** The kind of a call: to streams, or to the feed of all streams, which needs its own permission. */
export type Asked = 'streams' | 'feed'

const what = 'the event store'
const unauthenticated = 16

const grant =
  "as an administrator, once: setStreamMetadata('$all', {acl: {readRoles: ['$admins', the user of EVENT_STORE_URL]}})"

export const refused = (advice: string, cause: unknown): RefusedError => new RefusedError(what, advice, cause)

const tlsAdvice = tlsAdviceFor('EVENT_STORE_URL')

/** The refusal in an error of a TLS connection; undefined if the server is away. */
export function tlsRefusalOf(error: unknown): RefusedError | undefined {
  const trouble = tlsTroubleOf(error)
  return trouble && refused(tlsAdvice[trouble], error)
}

/** The store is not the one seen before. Nothing is read or written until the original is back. */
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
