import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'

/** A longer `Accept` is ignored, because parse time grows with the square of its length, characters. */
const MAX_ACCEPT_LENGTH = 1024

/**
 * The media type that `Accept` prefers, by q-values.
 * @param available the first is preferred if `Accept` is absent or rates several equally
 * @returns undefined if `Accept` allows none of them
 */
export function preferredType({ accept }: IncomingHttpHeaders, available: readonly string[]): string | undefined {
  // Nearly every request sends this, so it is not parsed.
  if (accept === undefined || accept === '*/*' || accept.length > MAX_ACCEPT_LENGTH) return available[0]
  // The negotiator does not match a type with parameters to ours.
  const plain = accept.replaceAll(/;\s*charset=[^;,]*/gi, '')
  return new Negotiator({ headers: { accept: plain } }).mediaType([...available])
}
