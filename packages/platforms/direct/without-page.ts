import { isWebPage } from '#packages/content/media/name-content.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { supported } from '../urls/parse-video-url.ts'

/** The number of bytes after white space that distinguish a web page from a file. */
const TELLING_BYTES = 16
/** Most white space to skip before them. */
const MAX_BLANK_BYTES = 8 * 1024

/**
 * The pieces of a body, unless it is a web page.
 * @throws StepError `media_unsupported` at the beginning of a page, without reading the rest
 */
export async function* withoutPage(body: AsyncIterable<Uint8Array>, contentType: unknown): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const piece of body) {
    if (head === undefined) {
      yield piece
      continue
    }
    head = Buffer.concat([head, piece])
    const isTold = head.toString('latin1').trimStart().length >= TELLING_BYTES || head.length >= MAX_BLANK_BYTES
    if (!isTold) continue
    yield notPage(head, contentType)
    head = undefined
  }
  if (head !== undefined) yield notPage(head, contentType)
}

function notPage(head: Uint8Array, contentType: unknown): Uint8Array {
  if (!isWebPage(head, contentType)) return head
  throw new StepError('media_unsupported', {
    message: `The URL leads to a web page: ${supported}.`,
  })
}
