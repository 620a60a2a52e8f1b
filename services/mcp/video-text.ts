import { randomBytes } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { printable } from '#packages/printable/printable.ts'

/**
 * In `_meta` of a block: true where strangers wrote what stands between its fences. In `_meta` of a result: the same of
 * parts of `structuredContent`, as JSON Pointers.
 */
export const UNTRUSTED = 'video-intelligence/untrusted'

/** Letters of a fence: nobody can know them before the answer is made. */
const FENCE_LETTERS = 20

const freshName = (): string =>
  [...randomBytes(FENCE_LETTERS)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')

function nameNotIn(text: string): string {
  const name = freshName()
  return text.includes(name) ? nameNotIn(text) : name
}

/** A value as JSON in which every character can be seen. */
export const shownJson = (value: unknown): string => printable(JSON.stringify(value))

type Block = CallToolResult['content'][number]

/** What we say ourselves. */
export const ownBlock = (text: string): Block => ({ type: 'text', text })

/**
 * What strangers wrote, or what was made of it: a block of its own, between two fences that the text does not contain. Of
 * a text of several lines, each is given by itself.
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
