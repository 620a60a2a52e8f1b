import type { Lane } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { LANE_NOTE_VALID_MS, type LaneNote, laneNoteId } from '#packages/views/lane-note.ts'
import { Remembered } from '#packages/work/remembered.ts'

const RETRY_AFTER_SECONDS = 5

/**
 * Whether a lane has room for one more job of an organization: not while the organization longest without a turn has
 * waited for a third of the window, nor while this one's own oldest step has. Better refused than timed out.
 */
export class LaneAdmission {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #thirdMs: number
  readonly #notes: Remembered<LaneNote | undefined>
  /** One alarm says it for a while. */
  #quietUntil = 0

  constructor(
    { views, clock, log }: { views: Views; clock: Clock; log: Logger },
    options: { windowSeconds: number; staleAfterMs: number },
  ) {
    this.#clock = clock
    this.#log = log
    this.#thirdMs = (options.windowSeconds * 1000) / 3
    const read = async (id: string): Promise<LaneNote | undefined> => {
      try {
        return (await views.getNotes<LaneNote>([id])).get(id)
      } catch (error) {
        // As with a note that nobody writes any more: the jobs themselves are in no danger.
        log.warn({ err: error }, 'the state of a lane cannot be read; nobody is refused')
        return undefined
      }
    }
    this.#notes = new Remembered(clock, read, { staleAfterMs: options.staleAfterMs, cachedEntries: 8 })
  }

  /** @throws ServiceError unavailable */
  async assertRoom(lane: Lane, orgId: string): Promise<void> {
    const note = await this.#notes.get(laneNoteId(lane))
    const now = this.#clock.now()
    if (note === undefined) return
    if (now - note.writtenAt > LANE_NOTE_VALID_MS) {
      this.#raiseAlarm(lane, now - note.writtenAt, now)
      return
    }
    const everyoneWaits = note.oldestTurn !== null && now - note.oldestTurn > this.#thirdMs
    if (!everyoneWaits && !note.lateOrganizations.includes(orgId)) return
    throw new ServiceError('unavailable', 'Too many jobs are waiting; nothing was charged.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  #raiseAlarm(lane: Lane, ageMs: number, now: number): void {
    if (now < this.#quietUntil) return
    this.#quietUntil = now + LANE_NOTE_VALID_MS
    this.#log.error({ alarm: 'lane_note_old', lane, ageMs }, 'nobody writes how long the lanes wait: nobody is refused')
  }
}
