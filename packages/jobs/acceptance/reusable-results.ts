import { type Reusable, reusableIn } from '#packages/domain/job/reuse.ts'
import type { JobDocument } from '#packages/events/views/jobs.ts'
import { isForgotten } from '#packages/jobs/status/is-forgotten.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import type { Views } from '#packages/ports/views.ts'

type Ports = { store: Pick<EventStore, 'read'>; views: Pick<Views, 'page'>; clock: Clock }

/** How many jobs to look at, the newest first. A few may be deleted, but still be in the view. */
const MOST_LOOKS = 3

/** Larger results, bytes of JSON, do not fit beside a request in one append. */
const MOST_BYTES = 900 * 1024

/** Finds results that new jobs may end with. The view proposes jobs, and their events decide. */
export class ReusableResults {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @returns undefined also if the views cannot be read: the job then makes its own result */
  async find(orgId: string, requestHash: string): Promise<Reusable | undefined> {
    const { store, clock } = this.#ports
    for (const jobId of await this.#proposed(orgId, requestHash)) {
      const events = await store.read(streams.job(jobId))
      const results = reusableIn(events as StoredEvent<never>[], { orgId, requestHash, now: clock.now() })
      // In this order: if the job is deleted after this look, it existed at the time of the request.
      if (results !== undefined && fits(results) && !(await isForgotten(this.#ports.store, jobId)))
        return { jobId, results }
    }
    return undefined
  }

  /** Completed jobs of the organization with this request, the newest first. */
  async #proposed(orgId: string, requestHash: string): Promise<string[]> {
    const where = { orgId: [orgId], requestHash: [requestHash], listedAs: ['completed'] }
    try {
      const page = await this.#ports.views.page<JobDocument>('jobs', { where, by: 'requestedAt', limit: MOST_LOOKS })
      return page.map(({ id }) => id)
    } catch (error) {
      // The job is still accepted, as if it had been requested without `reuse`.
      if (error instanceof UnreachableError) return []
      throw error
    }
  }
}

const fits = (results: Reusable['results']): boolean => Buffer.byteLength(JSON.stringify(results)) <= MOST_BYTES
