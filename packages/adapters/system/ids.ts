import { randomUUID } from 'node:crypto'
import type { Ids } from '#packages/ports/ids.ts'

/** Real randomness. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  random: () => Math.random(),
}
