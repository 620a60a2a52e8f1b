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

  /** How long jobs of the organization wait for their turn in a step, seconds, by what has waited for longest now. */
  async waitSeconds(lane: Lane, orgId: string): Promise<number> {
    const note = await this.#validNote()
    if (note === undefined) return 0
    const { oldestTurn, waiting } = note.lanes[lane]
    const own = waiting.find((each) => each.orgId === orgId)
    const { writtenAt } = note
    return Math.max(0, writtenAt - (oldestTurn ?? writtenAt), writtenAt - (own?.since ?? writtenAt)) / 1000
  }

  /** @throws ServiceError unavailable */
  async assertRoom(lane: Lane, orgId: string): Promise<void> {
    const note = await this.#validNote()
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

  /** Undefined where no owner writes it. */
  async #validNote(): Promise<OrchestratorNote | undefined> {
    const note = await this.#note.get('note')
    return note !== undefined && this.#clock.now() - note.writtenAt <= NOTE_VALID_MS ? note : undefined
  }

  /** Raises an alarm where nobody writes the note: nobody moves jobs on. */
  #lookForOwner(note: OrchestratorNote | undefined): void {
    const now = this.#clock.now()
    if (now < this.#quietUntil || now - (note?.writtenAt ?? this.#startedAt) <= NOTE_VALID_MS) return
    this.#quietUntil = now + NOTE_VALID_MS
    this.#log.error({ alarm: 'no_owner' }, 'no orchestrator moves jobs on')
  }
}
