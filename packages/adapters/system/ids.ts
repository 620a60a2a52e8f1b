import { randomUUIDv7 } from 'node:crypto'
import type { Ids } from '#packages/ports/ids.ts'

/** Real randomness. Ids begin with the time, so that indexes grow at their end. They are not secrets. */
export const systemIds: Ids = {
  uuid: () => randomUUIDv7(),
  random: () => Math.random(),
}
