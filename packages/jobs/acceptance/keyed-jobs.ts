import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { noSuchJob } from '#packages/jobs/status/no-such-job.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { streams, uuidFrom } from '#packages/ports/ids.ts'
import type { JobRequest } from './job-request.ts'

/** An idempotency key, of one organization for one kind of job. */
export type KeyOfJob = { orgId: string; kind: JobRequest['kind']; key: string }

/** The key already has a job. */
type Requested = { type: 'requested'; by: StoredEvent<DomainEvent<'JobRequested'>> }

/** The key has no job yet: the request would begin a new one. */
type Free = { type: 'free'; jobId: string }

const KEY_VALID_MS = 24 * 60 * 60 * 1000

/** How often a key may be used, counting its uses after its 24 hours. */
const MAX_USES = 1000

/** The id of the n-th job of a key. */
export const idOfKey = ({ orgId, kind, key }: KeyOfJob, n: number): string => uuidFrom(orgId, kind, key, n)

/** Finds the job of an idempotency key. */
export class KeyedJobs {
  readonly #store: EventStore
  readonly #clock: Clock

  constructor({ store, clock }: { store: EventStore; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * The present job of a key, or the id for its new job.
   * @throws ServiceError not_found: the job was forgotten, and its key still belongs to it; unavailable
   */
  async find(key: KeyOfJob): Promise<Requested | Free> {
    let wasForgotten = false
    for (let n = 0; n < MAX_USES; n++) {
      const jobId = idOfKey(key, n)
      const [first] = await this.#store.read(streams.job(jobId))
      if (first === undefined) {
        const gone = await this.#goneAs(jobId)
        if (gone === undefined && wasForgotten) throw noSuchJob()
        if (gone === undefined) return { type: 'free', jobId }
        wasForgotten = gone === 'forgotten'
        continue
      }
      wasForgotten = false
      if (first.type !== 'JobRequested' || this.#clock.now() - first.recordedAt > KEY_VALID_MS) continue
      return { type: 'requested', by: first }
    }
    throw new ServiceError('unavailable', 'This Idempotency-Key was used too often; use another.')
  }

  /**
   * How the job with this id was removed. Undefined if it was not. `forgotten`: it was removed in the last 24 hours, so
   * its key may still belong to it. A job that retention removed was older than its key.
   */
  async #goneAs(jobId: string): Promise<'forgotten' | 'old' | undefined> {
    if (!(await this.#store.isRemoved(streams.job(jobId)))) return undefined
    const [forgotten] = await this.#store.read(streams.removal(jobId), { from: 0, to: 0 })
    return forgotten !== undefined && this.#clock.now() - forgotten.recordedAt <= KEY_VALID_MS ? 'forgotten' : 'old'
  }
}
