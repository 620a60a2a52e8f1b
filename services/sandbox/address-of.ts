import { createHash } from 'node:crypto'

/** The address that a site sees of an exit, out of the range kept for documentation. The same exit has the same one. */
export const addressOf = (exit: string | undefined): string =>
  `198.51.100.${
    createHash('sha256')
      .update(exit ?? '')
      .digest()[0]
  }`
