import { hash } from 'node:crypto'
import type { EgressRoute, EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { Reading } from './reading.ts'

/** Names the exit address of a reader: the same on every machine, and another one after each refusal. */
export const sessionOf = ({ owner, refusals }: Pick<Reading, 'owner' | 'refusals'>): string =>
  hash('sha256', `${owner} ${refusals}`).slice(0, 16)

/** The egress route of a reader. */
export const routeOf = (routes: EgressRoutes, platform: string | undefined, reading: Reading): EgressRoute =>
  routes.of({ platform, session: sessionOf(reading), organization: reading.organization, onWait: reading.onWait })
