import type { EgressRoute, EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Breakers } from '../breakers/breakers.ts'
import type { Pace } from '../pace/pace.ts'
import type { Way } from '../platform-definition.ts'
import type { SocialPlatform } from '../registry.ts'
import { type MeasuredRead, measuredRead } from './measured-read.ts'
import type { Reading } from './reading.ts'
import { routeOf } from './route-of.ts'

/** The checks that every read of a platform passes. */
export type Passed = { routes: EgressRoutes; breakers: Breakers; pace: Pace; telemetry: Telemetry }

/** `subject`: the video or profile; undefined for a search. `way`: only for a platform's videos. */
type Outside = { platform: SocialPlatform; operation: MeasuredRead['operation']; subject?: string; way?: Way }

/**
 * Reads from a platform through the egress route of the reading, with breaker, pace and measurement.
 * @throws StepError `platform_blocked` while the breaker is open; PaceError; what the read throws
 */
export function readOutside<T>(
  { routes, breakers, pace, telemetry }: Passed,
  { subject, ...outside }: Outside,
  reading: Reading,
  read: (route: EgressRoute) => Promise<T>,
): Promise<T> {
  const { platform, way } = outside
  const { organization, signal } = reading
  const route = routeOf(routes, platform, reading)
  const { address, via } = route
  const asked = { address, organization, ...(way && { way }), ...(subject !== undefined && { subject }) }
  return breakers.run(platform, asked, () =>
    pace.run(platform, route, reading, () => measuredRead(telemetry, { ...outside, via, signal }, () => read(route))),
  )
}
