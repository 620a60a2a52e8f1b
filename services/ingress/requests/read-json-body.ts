import type { IncomingMessage } from 'node:http'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'

const jsonType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i

const utf8 = new TextDecoder('utf-8', { fatal: true })

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('payload_too_large', `The body must not exceed ${maxBytes} bytes.`)

const endedTooEarly = (): ServiceError => invalidRequest({ path: 'body', message: 'ended too early' })

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * The body of a request as a JSON value.
 * @throws ServiceError invalid_request, unsupported_media_type, payload_too_large
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!hasBody(request)) throw invalidRequest({ path: 'body', message: 'is required' })
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  if (!jsonType.test(type ?? '')) {
    throw new ServiceError('unsupported_media_type', 'The body must be application/json in UTF-8.')
  }
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ServiceError('unsupported_media_type', 'The body must not be compressed.')
  }
  return parse(await readBytes(request, maxBytes))
}

/** The rest of a body that is too large is read and dropped, until the server's time limit for a request. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
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

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch (error) {
    const message = error instanceof SyntaxError ? 'must be JSON' : 'must be UTF-8'
    throw invalidRequest({ path: 'body', message })
  }
}
