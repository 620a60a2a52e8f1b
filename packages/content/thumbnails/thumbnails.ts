import { ConfinedError } from '#packages/content/media/confined-error.ts'
import { type ShrinkOptions, shrinkPicture } from '#packages/content/media/shrink-picture.ts'
import { withinDeadline } from '#packages/egress/ask.ts'
import { EgressError } from '#packages/egress/egress-error.ts'
import type { EgressRoutes } from '#packages/egress/egress-routes.ts'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { TtlCache } from '#packages/foundation/concurrency/ttl-cache.ts'
import { routeOf } from '#packages/platforms/reading/route-of.ts'
import { OWN_NAME } from '#packages/platforms/reading/site.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { tracedTool } from '#packages/telemetry/traced-tool.ts'

/** A picture of a job's video. `url`: from its platform. */
export type Pictured = { orgId: string; platform: SocialPlatform | 'direct'; url: string }

type Ports = Pick<ShrinkOptions, 'launcher' | 'directory'> & {
  routes: EgressRoutes
  clock: Clock
  telemetry: Telemetry
}

const MAX_BYTES = 2 * 1024 * 1024
const FETCH_WITHIN_MS = 5000
/** Thumbnails fetched and reduced at once. Others wait. */
const AT_ONCE = 3
const MAX_WAITING = 200
/** How long a thumbnail is kept. A failed one is not requested again for as long. */
const KEPT_MS = 15 * 60 * 1000
/** The most thumbnails in memory: about 10 kB each, 100 kB at most. */
const MOST_KEPT = 500

const headers = {
  accept: 'image/jpeg,image/webp,image/png',
  'accept-encoding': 'identity',
  'user-agent': OWN_NAME,
}

/**
 * Thumbnails of videos. Fetches the original through the guard and the platform's exit, and a confined ffmpeg encodes
 * it again. The result is kept only in memory, and only for its organization.
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
   * @returns a JPEG; undefined if the original cannot be fetched, or is not a picture
   * @throws StepError if too many wait; an AbortError once it is disposed of
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
      // The original is untrusted: a page does without it.
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
