import { hash } from 'node:crypto'
import type { Exit, Exits } from '#packages/egress/exits.ts'
import type { Reading } from './reading.ts'

/** Names the exit address of a reader: the same on every machine, and another one after each refusal. */
export const sessionOf = ({ owner, refusals }: Pick<Reading, 'owner' | 'refusals'>): string =>
  hash('sha256', `${owner} ${refusals}`).slice(0, 16)

/** The way out of a reader. */
export const exitOf = (exits: Exits, platform: string | undefined, reading: Reading): Exit =>
  exits.of({ platform, session: sessionOf(reading), organization: reading.organization, onWait: reading.onWait })
