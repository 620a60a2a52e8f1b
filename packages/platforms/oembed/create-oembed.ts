import { type BreakerOptions, Breakers } from '../breakers/breakers.ts'
import { type Passed, readOutside } from '../reading/read-outside.ts'
import { INCOMPLETE_SECONDS, ReadThroughCache } from '../reading/read-through-cache.ts'
import type { Reading } from '../reading/reading.ts'
import { reportTo } from '../reading/site.ts'
import type { RegisteredPlatform } from '../registry.ts'
import { type Embedded, readOembed } from './read-oembed.ts'

export type OembedOptions = Omit<Passed, 'breakers'> &
  Pick<BreakerOptions, 'clock' | 'log' | 'isEstablished'> & {
    /** How long metadata is served from the cache, seconds. */
    metadataSeconds: number
  }

/**
 * Reads a video from its platform's oEmbed interface. Undefined if the platform has none, or it has nothing about the
 * video.
 */
export type Oembed = {
  read(url: string, reading: Reading): Promise<Embedded | undefined>
  /** Drops a video from the cache. */
  forget(url: string): void
}

export function createOembed(platform: RegisteredPlatform, options: OembedOptions): Oembed {
  const { name, oembed } = platform
  if (oembed === undefined) return { read: async () => undefined, forget: () => undefined }
  const { clock, log, isEstablished, metadataSeconds } = options
  // oEmbed has its own breakers: we ask it while the platform refuses all other reads, and /ready reports only the
  // refusals of those.
  const breakers = new Breakers({ clock, isEstablished, log: log.child({ operation: 'oembed' }) })
  const known = new ReadThroughCache<Embedded>({ clock, seconds: Math.min(INCOMPLETE_SECONDS, metadataSeconds) })
  const ask = readOembed(platform, oembed, { report: reportTo(log) })
  const read = (url: string, reading: Reading): Promise<Embedded> => {
    const outside = { platform: name, operation: 'oembed', subject: url } as const
    return readOutside({ ...options, breakers }, outside, reading, ({ egress }) => ask(url, egress, reading.signal))
  }
  return {
    read: (url, reading) =>
      known
        .get(url, reading, (shared) => read(url, shared))
        // the error is dropped: the caller already has a better one to report, and the metric has this one
        .catch(() => undefined),
    forget: (url) => known.drop(url),
  }
}
