import { randomBytes } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { printable } from '#packages/foundation/printable/printable.ts'

/**
 * In `_meta` of a block: true if strangers wrote the text between its fences. In `_meta` of a result: JSON Pointers to
 * the parts of `structuredContent` that they wrote.
 */
export const UNTRUSTED = 'video-intelligence/untrusted'

/** The number of random letters in a fence, too many to guess before the answer is made. */
const FENCE_LETTERS = 20

const freshName = (): string =>
  [...randomBytes(FENCE_LETTERS)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')

function nameNotIn(text: string): string {
  const name = freshName()
  return text.includes(name) ? nameNotIn(text) : name
}

/** A value as JSON, with invisible characters escaped. */
export const shownJson = (value: unknown): string => printable(JSON.stringify(value))

type Block = CallToolResult['content'][number]

/** A block of our own text. */
export const ownBlock = (text: string): Block => ({ type: 'text', text })

/**
 * Makes a block of text that strangers wrote, or that was derived from it, between two fences that the text does not
 * contain. Each line is a separate argument: line breaks within an argument are escaped.
 */
export function videoBlock(...lines: string[]): Block {
  const text = lines.map(printable).join('\n')
  const name = nameNotIn(text)
  return { type: 'text', text: `<video-text ${name}>\n${text}\n</video-text ${name}>`, _meta: { [UNTRUSTED]: true } }
}

/** `_meta` of a result: the fields of `structuredContent` that strangers wrote. */
export const untrustedFields = (...names: string[]): Record<string, unknown> => ({
  [UNTRUSTED]: names.map((name) => `/${name}`),
})
