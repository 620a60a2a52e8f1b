import { perStep, type Step, steps } from '#packages/domain/job/events.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Shares } from './backlog.ts'

/** How often to ask workers for their slots, milliseconds. */
const ASKS_EVERY_MS = 2000

/**
 * How many steps may be issued: as many as all workers have slots. One organization may have half of them, so that its
 * slow jobs never block other organizations.
 */
export class SlotShares {
  /** Changed in place. */
  readonly shares: Record<Step, Shares>

  /** @param slots the slots to assume until workers report theirs */
  constructor(slots: Record<Step, number>) {
    this.shares = perStep((step) => sharesOf(slots[step]))
  }

  /**
   * @param told the sums of the slots that workers have reported. A step without any worker keeps its last value:
   *   workers will return.
   */
  tell(told: Partial<Record<Step, number>>): void {
    for (const step of steps) if (told[step]) Object.assign(this.shares[step], sharesOf(told[step]))
  }

  /** Regularly asks for the number of slots. If that fails, the last values stay. */
  async run(
    { queue, clock, log }: { queue: WorkQueue; clock: Clock; log: Logger },
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await queue.slots().then(
        (told) => this.tell(told),
        (err: unknown) => log.debug({ err }, 'how many slots there are cannot be asked'),
      )
      await clock.sleep(ASKS_EVERY_MS, signal).catch(() => {})
    }
  }
}

const sharesOf = (slots: number): Shares => ({ outstanding: slots, perOrganization: Math.ceil(slots / 2) })
