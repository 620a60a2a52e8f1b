import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { bodyTypeOf, readBody } from './read-body.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The body of a request as a JSON value.
 * @throws ServiceError invalid_request, unsupported_media_type, payload_too_large
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  bodyTypeOf(request, ['application/json'])
  return parse(await readBody(request, maxBytes))
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch (error) {
    const message = error instanceof SyntaxError ? 'must be JSON' : 'must be UTF-8'
    throw invalidRequest({ path: 'body', message })
  }
}
