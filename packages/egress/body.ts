import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError, toEgressError } from './egress-error.ts'

/** The limits of a body, and the host for error messages. */
export type BodyLimits = { host: string; maxBytes: number; signal: AbortSignal }

/** The codings that `decoded` can decode, as a value of `Accept-Encoding`. */
export const codings = 'gzip, deflate, br'

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * The pieces of a body, of at most `maxBytes` bytes together.
 * @param stated the length in the head of the answer; NaN when there is none
 * @throws EgressError; the signal's reason when aborted
 */
export async function* capped(
  body: AsyncIterable<Uint8Array>,
  stated: number,
  { host, maxBytes, signal }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const tooLarge = () => new EgressError('too_large', `${host} sends more than ${maxBytes} bytes`)
  if (stated > maxBytes) throw tooLarge()
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      yield chunk
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : toEgressError(error, host)
  }
}

/**
 * The pieces of a compressed body, decompressed as the caller reads them.
 * @param coding the answer's `Content-Encoding`
 * @throws EgressError `unreadable` for a coding that was not offered, or bytes that are not in this coding
 */
export async function* decoded(
  body: AsyncGenerator<Uint8Array>,
  coding: unknown,
  { host, signal }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const name = String(coding ?? 'identity')
    .trim()
    .toLowerCase()
  if (name === 'identity') return yield* body
  const decoder = decoders[name]?.()
  if (!decoder) throw new EgressError('unreadable', `${host} sends a coding that was not asked for`)
  // the answer to a HEAD states a coding but has no bytes
  const first = await body.next()
  if (first.done) return
  // an error or the end of either side ends the other, and the loop below
  pipeline(Readable.from(startingWith(first.value, body)), decoder, () => undefined)
  try {
    yield* decoder
  } catch (error) {
    if (signal.aborted || error instanceof EgressError) throw error
    throw new EgressError('unreadable', `${host} sends a broken ${name} body`, error)
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
