import type { Lane } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { allShards, type Shard, shardOf } from '#packages/ports/shards.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { SHARD_NOTE_VALID_MS, type ShardNote, shardNoteId } from '#packages/views/shard-note.ts'
import { TtlCache } from '#packages/work/ttl-cache.ts'

const RETRY_AFTER_SECONDS = 5

type Notes = Map<string, ShardNote>

/**
 * Refuses a new job that would probably time out: while the organization that is next in turn in its lane has waited
 * for a third of the window, or while the oldest due step of the job's own organization has.
 */
export class LaneAdmission {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #thirdMs: number
  readonly #notes: TtlCache<Notes | undefined>
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
    const ids = [...allShards].map(shardNoteId)
    const read = async (): Promise<Notes | undefined> => {
      try {
        const notes = await views.getNotes<ShardNote>(ids)
        this.#lookForOwners(notes)
        return notes
      } catch (error) {
        // As with a shard without an owner, the jobs themselves are safe.
        log.warn({ err: error }, 'how long jobs wait cannot be read; nobody is refused')
        return undefined
      }
    }
    this.#notes = new TtlCache(clock, read, { ttlMs: options.staleAfterMs, maxEntries: 1 })
  }

  /** @throws ServiceError unavailable */
  async assertRoom(lane: Lane, orgId: string): Promise<void> {
    const notes = await this.#notes.get('all')
    const note = notes?.get(shardNoteId(shardOf(orgId)))
    const now = this.#clock.now()
    if (note === undefined || now - note.writtenAt > SHARD_NOTE_VALID_MS) return
    const { oldestTurn, lateOrganizations } = note.lanes[lane]
    const everyoneWaits = oldestTurn !== null && now - oldestTurn > this.#thirdMs
    if (!everyoneWaits && !lateOrganizations.includes(orgId)) return
    throw new ServiceError('unavailable', 'Too many jobs are waiting; nothing was charged.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  /** Raises an alarm where nobody writes the note of a shard: nobody moves its jobs on. */
  #lookForOwners(notes: Notes): void {
    const now = this.#clock.now()
    const isUnowned = (shard: Shard): boolean =>
      now - (notes.get(shardNoteId(shard))?.writtenAt ?? this.#startedAt) > SHARD_NOTE_VALID_MS
    if (now < this.#quietUntil) return
    const unowned = [...allShards].filter(isUnowned)
    if (unowned.length === 0) return
    this.#quietUntil = now + SHARD_NOTE_VALID_MS
    this.#log.error({ alarm: 'shard_unowned', shards: unowned }, 'nobody moves the jobs of these shards on')
  }
}
