import { hash } from 'node:crypto'
import type { EgressRoute, EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { Reading } from './reading.ts'

/**
 * The session that chooses the exit address of a reading: the same on every machine, and a new one after each
 * refusal.
 */
export const sessionOf = ({ owner, refusals }: Pick<Reading, 'owner' | 'refusals'>): string =>
  hash('sha256', `${owner} ${refusals}`).slice(0, 16)

/** The egress route of a reading. */
export const routeOf = (routes: EgressRoutes, platform: string | undefined, reading: Reading): EgressRoute =>
  routes.of({ platform, session: sessionOf(reading), organization: reading.organization, onWait: reading.onWait })
