import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'

/** A longer `Accept` is ignored: the time to parse it grows with the square of its length, characters. */
const MAX_ACCEPT_LENGTH = 1024

/**
 * The media type that `Accept` prefers, by q-values.
 * @param available the first is preferred where `Accept` is absent or likes several the same
 * @returns undefined where `Accept` allows none of them
 */
export function preferredType({ accept }: IncomingHttpHeaders, available: readonly string[]): string | undefined {
  // Nearly every request sends this; it is not parsed.
  if (accept === undefined || accept === '*/*' || accept.length > MAX_ACCEPT_LENGTH) return available[0]
  // The negotiator would take a type with parameters for another type than ours.
  const plain = accept.replaceAll(/;\s*charset=[^;,]*/gi, '')
  return new Negotiator({ headers: { accept: plain } }).mediaType([...available])
}
