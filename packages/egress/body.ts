import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError, toEgressError } from './egress-error.ts'

/** What a body may be. */
export type BodyLimits = { host: string; maxBytes: number; signal: AbortSignal }

/** The codings that `decoded` undoes, as `Accept-Encoding` offers them. */
export const codings = 'gzip, deflate, br'

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * The pieces of a body, of at most `maxBytes` bytes together.
 * @param stated its length as the head of the answer gives it; NaN when it does not
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
 * The pieces of a compressed body, decompressed as they are asked for.
 * @param coding the answer's `Content-Encoding`
 * @throws EgressError `unreadable` for a coding that was not offered, or bytes that are not of it
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
  // the answer to a HEAD states a coding and has no bytes
  const first = await body.next()
  if (first.done) return
  // whatever goes wrong on either side ends the loop below, whichever side ends ends the other
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
