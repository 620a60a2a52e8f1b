import { NOTE_VALID_MS, ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import { TtlCache } from '#packages/foundation/concurrency/ttl-cache.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** The note of the orchestrators' owner, for judging new jobs: at most `staleAfterMs` old. */
export class OwnerNote {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #note: TtlCache<OrchestratorNote | undefined>
  /** A note that was never written counts as written then. */
  readonly #startedAt: number
  /** After an alarm, no other is raised before this time. */
  #quietUntil = 0

  constructor(
    { views, clock, log }: { views: Views; clock: Clock; log: Logger },
    { staleAfterMs }: { staleAfterMs: number },
  ) {
    this.#clock = clock
    this.#log = log
    this.#startedAt = clock.now()
    const read = async (): Promise<OrchestratorNote | undefined> => {
      try {
        const note = (await views.getNotes<OrchestratorNote>([ORCHESTRATOR_NOTE])).get(ORCHESTRATOR_NOTE)
        this.#lookForOwner(note)
        return note
      } catch (error) {
        // The jobs themselves are safe, as they are without an owner.
        log.warn({ err: error }, 'how long jobs wait cannot be read; nobody is refused')
        return undefined
      }
    }
    this.#note = new TtlCache(clock, read, { ttlMs: staleAfterMs, maxEntries: 1 })
  }

  /** Undefined if no owner writes it. */
  async read(): Promise<OrchestratorNote | undefined> {
    const note = await this.#note.get('note')
    return note !== undefined && this.#clock.now() - note.writtenAt <= NOTE_VALID_MS ? note : undefined
  }

  /** Raises an alarm if no owner writes the note: then no jobs move on. */
  #lookForOwner(note: OrchestratorNote | undefined): void {
    const now = this.#clock.now()
    if (now < this.#quietUntil || now - (note?.writtenAt ?? this.#startedAt) <= NOTE_VALID_MS) return
    this.#quietUntil = now + NOTE_VALID_MS
    this.#log.error({ alarm: 'no_owner' }, 'no orchestrator moves jobs on')
  }
}
