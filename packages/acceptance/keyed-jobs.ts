import { ServiceError } from '#packages/errors/service-error.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { noSuchJob } from '#packages/jobs/no-such-job.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { streams, uuidFrom } from '#packages/ports/ids.ts'
import { withShardOf } from '#packages/ports/shards.ts'
import type { JobRequest } from './job-request.ts'

type Options = {
  /** How often an idempotency key may be used again after its 24 hours. */
  maxKeyUses: number
}

/** An idempotency key, of one organization for one kind of job. */
export type KeyOfJob = { orgId: string; kind: JobRequest['kind']; key: string }

/** The job that a key stands for. */
type Requested = { type: 'requested'; by: StoredEvent<DomainEvent<'JobRequested'>> }

/** The key stands for no job. `otherId` is what processes of another format would call the job. */
type Free = { type: 'free'; jobId: string; otherId?: string }

const KEY_VALID_MS = 24 * 60 * 60 * 1000

/** A job from before the upgrade may be forgotten while its key stands for it, and the key then stands for it a day more. */
const OTHER_IDS_MS = 2 * KEY_VALID_MS

/** The id of the n-th job of a key before there were shards. */
const plainIdOf = ({ orgId, kind, key }: KeyOfJob, n: number): string => uuidFrom(orgId, kind, key, n)

/** The id of the n-th job of a key. */
export const idOfKey = (key: KeyOfJob, n: number): string => withShardOf(key.orgId, plainIdOf(key, n))

/**
 * The ids of new jobs, and the jobs that idempotency keys stand for. Ids are plain as long as processes may run that
 * know no others. For two days after the start of this process a key is looked up by its plain id too.
 */
export class KeyedJobs {
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #options: Options
  readonly #startedAt: number

  constructor({ store, clock }: { store: EventStore; clock: Clock }, options: Options) {
    this.#store = store
    this.#clock = clock
    this.#options = options
    this.#startedAt = clock.now()
  }

  readonly #areSharded = true

  /** The id of a job without a key. */
  freshId(orgId: string, uuid: string): string {
    return this.#areSharded ? withShardOf(orgId, uuid) : uuid
  }

  /**
   * The job that a key stands for now, or the id of the one that it may become.
   * @throws ServiceError not_found: the job was forgotten, and its key still stands for it; unavailable
   */
  async find(key: KeyOfJob): Promise<Requested | Free> {
    const [idOf, otherIdOf] = this.#areSharded ? [idOfKey, plainIdOf] : [plainIdOf, idOfKey]
    const found = await this.#walk((n) => idOf(key, n))
    if (found.type === 'requested') return found
    if (this.#areSharded && this.#clock.now() - this.#startedAt > OTHER_IDS_MS) return found
    const other = await this.#walk((n) => otherIdOf(key, n))
    return other.type === 'requested' ? other : { ...found, otherId: other.jobId }
  }

  /** The jobs of a key one after the other, to the one that it stands for. @throws as `find` */
  async #walk(idOf: (n: number) => string): Promise<Requested | Free> {
    let wasForgotten = false
    for (let n = 0; n < this.#options.maxKeyUses; n++) {
      const jobId = idOf(n)
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
   * How the job that would have this id was removed; undefined where it was not. `forgotten`: in the last 24 hours, so
   * that its key may still stand for it. One that retention has removed was older than its key.
   */
  async #goneAs(jobId: string): Promise<'forgotten' | 'old' | undefined> {
    if (!(await this.#store.isRemoved(streams.job(jobId)))) return undefined
    const [forgotten] = await this.#store.read(streams.removal(jobId), { from: 0, to: 0 })
    return forgotten !== undefined && this.#clock.now() - forgotten.recordedAt <= KEY_VALID_MS ? 'forgotten' : 'old'
  }
}
