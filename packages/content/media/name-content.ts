import { open } from 'node:fs/promises'

/** Bytes from the beginning of a file that identify its type. */
const HEAD_BYTES = 4100

/** The containers that we read, as customers know them. */
export const CONTAINERS = 'MP4, MOV, WebM, Matroska, MP3, WAV, Ogg, FLAC and AAC'
/** Their names in `file-type`. */
const taken = /^(?:mp4|m4a|m4v|mov|webm|mkv|mp3|wav|og[agvx]|opus|flac|aac|3gp|3g2)$/

/** The beginnings of texts that lead to media or to a page. */
const texts: readonly [begins: RegExp, name: string][] = [
  [/^#EXTM3U/, 'an HLS playlist'],
  [/^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<MPD[\s>]/s, 'a DASH manifest'],
  [/^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body|script|meta|title)[\s>]/is, 'a web page'],
]

const textOf = (head: Uint8Array): string => new TextDecoder().decode(head).trimStart()

const namedText = (head: Uint8Array): string | undefined => texts.find(([begins]) => begins.test(textOf(head)))?.[1]

/** Whether a body is a web page. Some hosts send films as `text/html` too, so a page must also begin with a tag. */
export const isWebPage = (head: Uint8Array, contentType: unknown): boolean =>
  namedText(head) === 'a web page' ||
  (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(String(contentType)) && textOf(head).startsWith('<'))

/** The type of an unreadable file, for people: part of a sentence. */
export async function nameContent(path: string): Promise<string | undefined> {
  const head = await beginningOf(path)
  // Loaded late: it has dozens of modules, and nearly every file can be read.
  const { fileTypeFromBuffer } = await import('file-type')
  const type = await fileTypeFromBuffer(head)
  if (type === undefined) return namedText(head)
  return taken.test(type.ext) ? `a damaged or incomplete ${type.ext} file` : `a file of type ${type.ext}`
}

async function beginningOf(path: string): Promise<Uint8Array> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}
