import { ErrorType } from '@eventstore/db-client'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { typeOf } from './failures.ts'

/** What was asked of the server: its streams, or all of them as one feed, which takes a right of its own. */
export type Asked = 'streams' | 'feed'

const what = 'the event store'
const unauthenticated = 16

const grant =
  "as an administrator, once: setStreamMetadata('$all', {acl: {readRoles: ['$admins', the user of EVENT_STORE_URL]}})"

export const refused = (advice: string, cause: unknown): RefusedError => new RefusedError(what, advice, cause)

/** How the server's certificate was found wrong, as Node and gRPC name it. */
const certificateTroubles: readonly [pattern: RegExp, advice: string][] = [
  [
    /altnames|ERR_TLS_CERT_ALTNAME/i,
    'its certificate is for another name; EVENT_STORE_URL has to use the name that the certificate is for',
  ],
  [/certificate has expired|CERT_HAS_EXPIRED/i, 'its certificate has expired; give the server a new one'],
  [
    /self[- ]signed|unable to (?:verify|get)|SELF_SIGNED|UNABLE_TO_|certificate/i,
    'its certificate is not trusted; let tlsCAFile in EVENT_STORE_URL name the file of the authority that signed it',
  ],
  [
    /wrong version number|WRONG_VERSION|packet length too long|EPROTO|SSL routines/i,
    'it speaks no TLS; put tls=false into EVENT_STORE_URL, or let the server speak TLS',
  ],
]

/** Who is to mend what an error of a TLS connection says, and how; undefined where the server is away. */
export function tlsAdvice(error: unknown): string | undefined {
  const { code = '', message = '' } = error as { code?: unknown; message?: string }
  return certificateTroubles.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1]
}

/** The store is not the one that was seen: nothing is read of it and nothing is written to it until that one is back. */
export class PutBackError extends RefusedError {
  constructor(sentence: string) {
    super(what, sentence, undefined)
    this.message = sentence
  }
}

/** What is a refusal, in the port's words; undefined for any other error. */
export function refusalOf(error: unknown, asked: Asked): RefusedError | undefined {
  if (error instanceof RefusedError) return error
  const type = typeOf(error)
  if (type === ErrorType.ACCESS_DENIED) {
    if ((error as { code?: number }).code === unauthenticated)
      return refused('it does not know the user and password of EVENT_STORE_URL', error)
    if (asked === 'feed') return refused(`the user of EVENT_STORE_URL may not read $all; ${grant}`, error)
    return refused('the user of EVENT_STORE_URL may not read or write its streams; grant it both', error)
  }
  const advice = type === ErrorType.UNAVAILABLE ? tlsAdvice(error) : undefined
  return advice === undefined ? undefined : refused(advice, error)
}
