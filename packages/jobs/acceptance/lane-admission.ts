import type { Lane } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { OwnerNote } from './owner-note.ts'

const RETRY_AFTER_SECONDS = 5

/**
 * Refuses a new job that would probably time out. Two waits count, and neither may exceed a third of the window: that
 * of the organization which is next in turn in the lane, and that of the oldest due step of the job's own organization.
 */
export class LaneAdmission {
  readonly #note: OwnerNote
  readonly #clock: Clock
  readonly #thirdMs: number

  constructor({ note, clock }: { note: OwnerNote; clock: Clock }, options: { windowSeconds: number }) {
    this.#note = note
    this.#clock = clock
    this.#thirdMs = (options.windowSeconds * 1000) / 3
  }

  /** How long jobs of the organization wait for their turn in a step, seconds, based on the longest current wait. */
  async waitSeconds(lane: Lane, orgId: string): Promise<number> {
    const note = await this.#note.read()
    if (note === undefined) return 0
    const { oldestTurn, waiting } = note.lanes[lane]
    const own = waiting.find((each) => each.orgId === orgId)
    const { writtenAt } = note
    return Math.max(0, writtenAt - (oldestTurn ?? writtenAt), writtenAt - (own?.since ?? writtenAt)) / 1000
  }

  /** @throws ServiceError unavailable */
  async assertRoom(lane: Lane, orgId: string): Promise<void> {
    const note = await this.#note.read()
    if (note === undefined) return
    const now = this.#clock.now()
    const { oldestTurn, waiting } = note.lanes[lane]
    const everyoneWaits = oldestTurn !== null && now - oldestTurn > this.#thirdMs
    const isLate = waiting.some((each) => each.orgId === orgId && now - each.since > this.#thirdMs)
    if (!everyoneWaits && !isLate) return
    throw new ServiceError('unavailable', 'Too many jobs are waiting; nothing was charged.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
