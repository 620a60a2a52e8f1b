import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { OwnerNote } from './owner-note.ts'

type Ports = {
  note: OwnerNote
  /** Present if this process fetches videos. It knows how many reads wait here before a job's. */
  platforms?: Pick<Platforms, 'paceWaitSeconds'> | undefined
  clock: Clock
  telemetry: Telemetry
}

/**
 * Refuses a new job if its first read would wait for the pace of its platform for more than a third of its window. A
 * process that fetches knows its own line. The owner also notes, some seconds later, how long earlier jobs of the
 * organization wait in all fetchers. The longer wait counts.
 */
export class PaceAdmission {
  readonly #ports: Ports
  readonly #thirdSeconds: number

  constructor(ports: Ports, { windowSeconds }: { windowSeconds: number }) {
    this.#ports = ports
    this.#thirdSeconds = windowSeconds / 3
  }

  /** How long a job of the organization would wait, seconds. @param url canonical */
  async waitSeconds(url: string, orgId: string): Promise<number> {
    const platform = platformOf(url)
    if (platform === 'direct') return 0
    const { note, platforms, clock } = this.#ports
    const paceWaits = (await note.read())?.paceWaits ?? []
    const noted = paceWaits.find((each) => each.platform === platform && each.orgId === orgId)
    const notedMs = (noted?.until ?? 0) - clock.now()
    return Math.max(0, notedMs / 1000, platforms?.paceWaitSeconds(platform, orgId) ?? 0)
  }

  /** @throws ServiceError unavailable */
  async assertRoom(url: string, orgId: string): Promise<void> {
    const tooLong = (await this.waitSeconds(url, orgId)) - this.#thirdSeconds
    if (tooLong <= 0) return
    this.#ports.telemetry.add(metrics.paceJobsRefused, 1, { [names.platform]: platformOf(url) })
    throw new ServiceError('unavailable', 'Too many jobs wait for this platform; nothing was charged.', {
      retryAfterSeconds: Math.ceil(tooLong),
    })
  }
}
