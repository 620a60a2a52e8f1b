import { hash } from 'node:crypto'

/** The name of a file that pages load, with a hash of what is in it: browsers keep it for good. */
export const fileName = (stem: string, extension: string, body: string | Buffer): string =>
  `${stem}-${hash('sha256', body).slice(0, 12)}.${extension}`
