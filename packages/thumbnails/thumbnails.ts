import { withinDeadline } from '#packages/egress/ask.ts'
import { EgressError } from '#packages/egress/egress-error.ts'
import type { EgressRoutes } from '#packages/egress/egress-routes.ts'
import { ConfinedError } from '#packages/media/confined-error.ts'
import { type ShrinkOptions, shrinkPicture } from '#packages/media/shrink-picture.ts'
import { routeOf } from '#packages/platforms/reading/route-of.ts'
import { OWN_NAME } from '#packages/platforms/reading/site.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { tracedTool } from '#packages/telemetry/traced-tool.ts'
import { Semaphore } from '#packages/work/semaphore.ts'
import { TtlCache } from '#packages/work/ttl-cache.ts'

/** A picture of a video of a job. `url`: as its platform told it. */
export type Pictured = { orgId: string; platform: SocialPlatform | 'direct'; url: string }

type Ports = Pick<ShrinkOptions, 'launcher' | 'directory'> & {
  routes: EgressRoutes
  clock: Clock
  telemetry: Telemetry
}

const MAX_BYTES = 2 * 1024 * 1024
const FETCH_WITHIN_MS = 5000
/** Fetched and made smaller at once, and waiting for that. */
const AT_ONCE = 3
const MAX_WAITING = 200
/** Also how long nobody asks again for one that could not be had. */
const KEPT_MS = 15 * 60 * 1000
/** Of some 10 kB each, 100 kB at most. */
const MOST_KEPT = 500

const headers = {
  accept: 'image/jpeg,image/webp,image/png',
  'accept-encoding': 'identity',
  'user-agent': OWN_NAME,
}

/**
 * Small pictures of videos. The original is fetched through the guard, by the exit of its platform, and made anew by a
 * confined ffmpeg; what was made is kept in memory, for its organization alone, and nowhere else.
 */
export class Thumbnails implements Disposable {
  readonly #ports: Ports
  readonly #shrink: typeof shrinkPicture
  readonly #closing = new AbortController()
  readonly #permits = new Semaphore(AT_ONCE, { maxWaiting: MAX_WAITING })
  readonly #made: TtlCache<Buffer | undefined>

  constructor(ports: Ports) {
    this.#ports = ports
    this.#shrink = tracedTool(ports.telemetry, 'ffmpeg', 'shrink-picture', shrinkPicture)
    const make = (key: string) => this.#make(JSON.parse(key))
    this.#made = new TtlCache(ports.clock, make, { ttlMs: KEPT_MS, maxEntries: MOST_KEPT })
  }

  /**
   * @returns a JPEG; undefined where the original cannot be fetched, or is no picture
   * @throws StepError when too many wait; an AbortError once it is disposed of
   */
  of({ orgId, platform, url }: Pictured): Promise<Buffer | undefined> {
    return this.#made.get(JSON.stringify({ orgId, platform, url }))
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
  }

  async #make(pictured: Pictured): Promise<Buffer | undefined> {
    const { signal } = this.#closing
    using _permit = await this.#permits.acquire(signal, [pictured.orgId])
    try {
      const original = await this.#fetch(pictured, signal)
      return original && (await this.#shrink(original, { ...this.#ports, signal }))
    } catch (error) {
      // Of strangers' making, whatever it is: a page does without it.
      if (error instanceof EgressError || error instanceof ConfinedError) return undefined
      throw error
    }
  }

  #fetch({ orgId, platform, url }: Pictured, closing: AbortSignal): Promise<Buffer | undefined> {
    const reading = { owner: orgId, organization: orgId, refusals: 0, signal: closing }
    const { egress } = routeOf(this.#ports.routes, platform === 'direct' ? undefined : platform, reading)
    const limit = { deadlineMs: FETCH_WITHIN_MS, host: URL.parse(url)?.hostname ?? '' }
    return withinDeadline(closing, limit, async (signal) => {
      await using answer = await egress.request(url, { headers, signal, maxBytes: MAX_BYTES })
      if (answer.status !== 200) return undefined
      return Buffer.concat(await Array.fromAsync(answer.body))
    })
  }
}
