import type { IncomingMessage } from 'node:http'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'

const utf8Parameter = /^charset="?utf-8"?$/i

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('payload_too_large', `The body must not exceed ${maxBytes} bytes.`)

const endedTooEarly = (): ServiceError => invalidRequest({ path: 'body', message: 'ended too early' })

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Which of these types the body of a request has.
 * @throws ServiceError invalid_request: there is no body; unsupported_media_type: it has another type, or is compressed
 */
export function bodyTypeOf<Type extends string>(request: IncomingMessage, types: readonly Type[]): Type {
  if (!hasBody(request)) throw invalidRequest({ path: 'body', message: 'is required' })
  const { 'content-type': given = '', 'content-encoding': encoding } = request.headers
  const [name = '', ...parameters] = given.split(';').map((part) => part.trim())
  const type = types.find((each) => each === name.toLowerCase())
  if (type === undefined || parameters.some((each) => !utf8Parameter.test(each)))
    throw new ServiceError('unsupported_media_type', `The body must be ${types.join(', ')} in UTF-8.`)
  if (encoding !== undefined && encoding !== 'identity')
    throw new ServiceError('unsupported_media_type', 'The body must not be compressed.')
  return type
}

/**
 * The bytes of a body. The rest of a body that is too large is read and dropped, until the server's time limit for a
 * request.
 * @throws ServiceError invalid_request: it ended too early; payload_too_large
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.destroyed) throw endedTooEarly()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else if (bytes - chunk.length <= maxBytes) reject(tooLarge(maxBytes))
    })
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.once('error', () => reject(endedTooEarly()))
    request.once('close', () => {
      if (!request.readableEnded) reject(endedTooEarly())
    })
  })
}
