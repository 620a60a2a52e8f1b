import { ServiceError } from '#packages/errors/service-error.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { SocialPlatform } from '#packages/platforms/registry.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

type Ports = { platforms: Pick<Platforms, 'paceWaitSeconds'>; telemetry: Telemetry }

/**
 * Refuses a new job whose first read would wait for the pace of its platform for more than a third of its window. It knows
 * the reads of this process: where videos are fetched in others, they have a pace of their own, and nobody is refused by
 * it here.
 */
export class PaceAdmission {
  readonly #ports: Ports
  readonly #thirdSeconds: number

  constructor(ports: Ports, { windowSeconds }: { windowSeconds: number }) {
    this.#ports = ports
    this.#thirdSeconds = windowSeconds / 3
  }

  /** How long a job of the organization would wait, seconds. @param url canonical */
  waitSeconds(url: string, orgId: string): number {
    const platform = platformOf(url)
    return platform === 'direct' ? 0 : this.#waitOf(platform, orgId)
  }

  /** @throws ServiceError unavailable */
  assertRoom(url: string, orgId: string): void {
    const platform = platformOf(url)
    if (platform === 'direct') return
    const tooLong = this.#waitOf(platform, orgId) - this.#thirdSeconds
    if (tooLong <= 0) return
    this.#ports.telemetry.add(metrics.paceJobsRefused, 1, { [names.platform]: platform })
    throw new ServiceError('unavailable', 'Too many jobs wait for this platform; nothing was charged.', {
      retryAfterSeconds: Math.ceil(tooLong),
    })
  }

  #waitOf(platform: SocialPlatform, orgId: string): number {
    return this.#ports.platforms.paceWaitSeconds(platform, orgId)
  }
}
