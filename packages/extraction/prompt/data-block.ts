import { randomBytes } from 'node:crypto'

/** A word that nobody who wrote the text of a video can have known. */
export const newBoundary = (): string => randomBytes(16).toString('hex')

/**
 * A text as data: between two lines with the word. A text that has the word could end its own block, and is not let
 * through with it; the space that stays in its place joins nothing to a word again.
 */
export const dataBlock = (name: string, boundary: string, text: string): string =>
  [`BEGIN ${name} ${boundary}`, text.replaceAll(boundary, ' '), `END ${name} ${boundary}`].join('\n')
