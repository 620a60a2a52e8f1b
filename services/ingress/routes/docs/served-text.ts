import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { once } from '#packages/foundation/concurrency/once.ts'
import type { Answers, Headers } from '../../answers/answers.ts'
import { type StaticFile, staticFile } from '../../answers/static-file.ts'
import { matches } from '../get-job.ts'

/** The service's address in the texts of the documentation as they are written. */
export const writtenBase = 'http://127.0.0.1:8080'

/** A host and a port, without characters that mean something to a browser or a shell. */
const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * The origin that a request names in its `Host`. Use it only in the answer to that request, which no cache may keep.
 */
const askedOrigin = ({ headers: { host = '' } }: IncomingMessage): string =>
  hostPattern.test(host) ? `http://${host}` : writtenBase

/** A handler that the first request makes: most of the documentation is never read. */
export function onceAsked(make: () => RequestHandler): RequestHandler {
  const handler = once(make)
  return (request, response, next) => handler()(request, response, next)
}

/** Answers with a file, or with 304 if the caller already has it. */
export const sendFile =
  ({ answers }: { answers: Answers }, file: StaticFile): RequestHandler =>
  (request, response) => {
    if (matches(request.headers['if-none-match'], file.etag)) answers.empty(response, 304, file.notModifiedHeaders)
    else answers.text(response, 200, file.body, file.headers)
  }

/**
 * Answers with a text that shows the service's address. Without a public address it shows the origin that the caller
 * requested, and no cache keeps the answer: a `Host` from one caller must not be shown to others.
 * @param text contains `writtenBase` in place of the address
 */
export function sendText(
  parts: { answers: Answers },
  text: string,
  { publicUrl, headers }: { publicUrl: string | undefined; headers: Headers },
): RequestHandler {
  if (publicUrl !== undefined) {
    const body = Buffer.from(text.replaceAll(writtenBase, () => publicUrl))
    return sendFile(parts, staticFile(body, { ...headers, 'Cache-Control': 'no-cache' }))
  }
  const pieces = text.split(writtenBase)
  return (request, response) =>
    parts.answers.text(response, 200, pieces.join(askedOrigin(request)), { ...headers, 'Cache-Control': 'no-store' })
}
