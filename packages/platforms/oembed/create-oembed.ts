import type { EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { Breakers } from '../breakers/breakers.ts'
import type { Pace } from '../pace/pace.ts'
import { measuredRead } from '../reading/measured-read.ts'
import { INCOMPLETE_SECONDS, ReadThroughCache } from '../reading/read-through-cache.ts'
import type { Reading } from '../reading/reading.ts'
import { routeOf } from '../reading/route-of.ts'
import { reportTo } from '../reading/site.ts'
import type { RegisteredPlatform } from '../registry.ts'
import { type Embedded, readOembed } from './read-oembed.ts'

export type OembedOptions = {
  routes: EgressRoutes
  pace: Pace
  clock: Clock
  log: Logger
  telemetry: Telemetry
  /** How long metadata is served from the cache, seconds. */
  metadataSeconds: number
}

/** What a platform's oEmbed interface tells of a video; undefined where it has none or tells nothing. */
export type Oembed = {
  read(url: string, reading: Reading): Promise<Embedded | undefined>
  /** Drops what is known of a video. */
  forget(url: string): void
}

export function createOembed(platform: RegisteredPlatform, options: OembedOptions): Oembed {
  const { name, oembed } = platform
  if (oembed === undefined) return { read: async () => undefined, forget: () => undefined }
  const { routes, pace, clock, log, telemetry, metadataSeconds } = options
  // Of its own: oEmbed is asked while the platform refuses all other reads, and /ready tells of those.
  const breakers = new Breakers({ clock, log: log.child({ operation: 'oembed' }) })
  const known = new ReadThroughCache<Embedded>({ clock, seconds: Math.min(INCOMPLETE_SECONDS, metadataSeconds) })
  const ask = readOembed(platform, oembed, {
    routeOf: (reading) => routeOf(routes, name, reading),
    report: reportTo(log),
  })
  const read = (url: string, reading: Reading): Promise<Embedded> => {
    const route = routeOf(routes, name, reading)
    const { organization, signal } = reading
    const measured = { platform: name, operation: 'oembed', via: route.via, signal } as const
    return breakers.run(name, { address: route.address, organization, subject: url }, () =>
      pace.run(name, route, reading, () => measuredRead(telemetry, measured, () => ask(url, reading))),
    )
  }
  return {
    read: (url, reading) =>
      known
        .get(url, reading, (signal, onWait) => read(url, { ...reading, signal, onWait }))
        // the caller has a failure that says more, and the metric has this one
        .catch(() => undefined),
    forget: (url) => known.drop(url),
  }
}
