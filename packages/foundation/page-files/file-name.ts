import { hash } from 'node:crypto'

/**
 * The name of a file that pages load. It contains a hash of the file's content, so that browsers may keep the file for
 * ever.
 */
export const fileName = (stem: string, extension: string, body: string | Buffer): string =>
  `${stem}-${hash('sha256', body).slice(0, 12)}.${extension}`
