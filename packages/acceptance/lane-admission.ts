import type { Lane } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { NOTE_VALID_MS, ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/views/orchestrator-note.ts'
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
  readonly #note: TtlCache<OrchestratorNote | undefined>
  /** A note that was never written counts as written then. */
  readonly #startedAt: number
  /** After an alarm no other is raised before this time. */
  #quietUntil = 0

  constructor(
    { views, clock, log }: { views: Views; clock: Clock; log: Logger },
    options: { windowSeconds: number; staleAfterMs: number },
  ) {
    this.#clock = clock
    this.#log = log
    this.#startedAt = clock.now()
    this.#thirdMs = (options.windowSeconds * 1000) / 3
    const read = async (): Promise<OrchestratorNote | undefined> => {
      try {
        const note = (await views.getNotes<OrchestratorNote>([ORCHESTRATOR_NOTE])).get(ORCHESTRATOR_NOTE)
        this.#lookForOwner(note)
        return note
      } catch (error) {
        // As without an owner, the jobs themselves are safe.
        log.warn({ err: error }, 'how long jobs wait cannot be read; nobody is refused')
        return undefined
      }
    }
    this.#note = new TtlCache(clock, read, { ttlMs: options.staleAfterMs, maxEntries: 1 })
  }

  /** @throws ServiceError unavailable */
  async assertRoom(lane: Lane, orgId: string): Promise<void> {
    const note = await this.#note.get('note')
    const now = this.#clock.now()
    if (note === undefined || now - note.writtenAt > NOTE_VALID_MS) return
    const { oldestTurn, lateOrganizations } = note.lanes[lane]
    const everyoneWaits = oldestTurn !== null && now - oldestTurn > this.#thirdMs
    if (!everyoneWaits && !lateOrganizations.includes(orgId)) return
    throw new ServiceError('unavailable', 'Too many jobs are waiting; nothing was charged.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  /** Raises an alarm where nobody writes the note: nobody moves jobs on. */
  #lookForOwner(note: OrchestratorNote | undefined): void {
    const now = this.#clock.now()
    if (now < this.#quietUntil || now - (note?.writtenAt ?? this.#startedAt) <= NOTE_VALID_MS) return
    this.#quietUntil = now + NOTE_VALID_MS
    this.#log.error({ alarm: 'no_owner' }, 'no orchestrator moves jobs on')
  }
}
