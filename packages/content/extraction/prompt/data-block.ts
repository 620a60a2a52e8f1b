import { randomBytes } from 'node:crypto'

/** A random word that the author of a video's text cannot know. */
export const newBoundary = (): string => randomBytes(16).toString('hex')

/**
 * Untrusted text as data, between two lines with the boundary. Removes the boundary from the text, which could
 * otherwise end its own block. A space replaces it, so that the remaining parts cannot form it again.
 */
export const dataBlock = (name: string, boundary: string, text: string): string =>
  [`BEGIN ${name} ${boundary}`, text.replaceAll(boundary, ' '), `END ${name} ${boundary}`].join('\n')
