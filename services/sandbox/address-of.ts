import { createHash } from 'node:crypto'

/** The address that a site sees for an exit, from the range for documentation. One exit always has the same address. */
export const addressOf = (exit: string | undefined): string =>
  `198.51.100.${
    createHash('sha256')
      .update(exit ?? '')
      .digest()[0]
  }`
