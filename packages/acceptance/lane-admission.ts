import type { Lane } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { LANE_NOTE_VALID_MS, type LaneNote, laneNoteId } from '#packages/views/lane-note.ts'
import { TtlCache } from '#packages/work/ttl-cache.ts'

const RETRY_AFTER_SECONDS = 5

/**
 * Refuses a new job that would probably time out: while the organization that is next in turn in its lane has waited
 * for a third of the window, or while the oldest due step of the job's own organization has.
 */
export class LaneAdmission {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #thirdMs: number
  readonly #notes: TtlCache<LaneNote | undefined>
  /** After an alarm no other is raised before this time. */
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
        // As with a note that is no longer written, the jobs themselves are safe.
        log.warn({ err: error }, 'the state of a lane cannot be read; nobody is refused')
        return undefined
      }
    }
    this.#notes = new TtlCache(clock, read, { ttlMs: options.staleAfterMs, maxEntries: 8 })
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
