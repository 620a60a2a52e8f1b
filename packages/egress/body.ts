import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { EgressError, toEgressError } from './egress-error.ts'

/** The limits of a body, and the host for error messages. */
export type BodyLimits = { host: string; maxBytes: number; signal: AbortSignal }

/** The codings that we accept for pages, as a value of `Accept-Encoding`. */
export const codings = 'gzip, deflate, br'

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** The most codings to undo. Of a longer list, only the last ones are undone, because each takes memory. */
const MAX_CODINGS = 3

/**
 * The pieces of a body, of at most `maxBytes` bytes in total.
 * @param stated the length in the head of the answer; NaN if there is none
 * @throws EgressError, `cut_short` if the connection breaks; the signal's reason when aborted
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
    if (signal.aborted) throw signal.reason
    const failure = toEgressError(error, host)
    throw failure.reason === 'unreachable' ? cutShort(host, error) : failure
  }
}

/**
 * The pieces of a compressed body, decompressed as the caller reads them. Stored files may state codings too, or
 * words that name none (`utf-8`, `aws-chunked`). Like browsers, we ignore such words.
 * @param coding the answer's `Content-Encoding`
 * @throws EgressError `unreadable` for bytes that are not in this coding, `cut_short` for too few of them
 */
export async function* decoded(
  body: AsyncGenerator<Uint8Array>,
  coding: unknown,
  { host, signal }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  // the last coding in the list was applied last
  const names = String(coding)
    .toLowerCase()
    .split(/[\s,]+/)
    .reverse()
  const steps = names
    .flatMap((name) => decoders[name] ?? [])
    .slice(0, MAX_CODINGS)
    .map((decoder) => decoder())
  const last = steps.at(-1)
  // the answer to a HEAD states a coding but has no bytes
  const first = await body.next()
  if (first.done) return
  const bytes = startingWith(first.value, body)
  if (!last) return yield* bytes
  // an error or the end of one stream ends the others, and the loop below
  pipeline([Readable.from(bytes), ...steps], () => undefined)
  try {
    yield* last
  } catch (error) {
    if (signal.aborted || error instanceof EgressError) throw error
    if (error instanceof Error && error.message === 'unexpected end of file') throw cutShort(host, error)
    throw new EgressError('unreadable', `${host} sends a body that is not ${names.join(', ')}`, error)
  }
}

const cutShort = (host: string, cause: unknown): EgressError =>
  new EgressError('cut_short', `${host} ends its answer before the end`, cause)

async function* startingWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
