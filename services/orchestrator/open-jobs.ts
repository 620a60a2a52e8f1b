import type { StoredEvent } from '#packages/ports/event-store.ts'
import { applyJobEvent, type TrackedJob, trackedFrom } from './tracked-job.ts'

/** All open jobs, folded from the feed of `credits-` and `job-` streams. */
export class OpenJobs {
  readonly #jobs = new Map<string, TrackedJob>()
  /** The position up to which the feed has been read. */
  #passed = 0

  get size(): number {
    return this.#jobs.size
  }

  get(jobId: string): TrackedJob | undefined {
    return this.#jobs.get(jobId)
  }

  [Symbol.iterator](): IterableIterator<TrackedJob> {
    return this.#jobs.values()
  }

  add(tracked: TrackedJob): void {
    this.#jobs.set(tracked.jobId, tracked)
  }

  remove(jobId: string): void {
    this.#jobs.delete(jobId)
  }

  /** Applies one event. @returns the open job that it belongs to; undefined if it closes a job or belongs to none */
  apply(event: StoredEvent): TrackedJob | undefined {
    const before = this.#passed
    this.passTo(event.position)
    if (event.type === 'CreditsDebited') return this.#opened(event.data.jobId, trackedFrom(event, before))
    if (event.type === 'CreditsSettled') {
      this.#jobs.delete(event.data.jobId)
      return undefined
    }
    // A job without a known debit was settled before the checkpoint was taken.
    const tracked = event.stream.startsWith('job-') ? this.#jobs.get(event.metadata.correlationId) : undefined
    if (tracked !== undefined) applyJobEvent(tracked, event)
    return tracked
  }

  #opened(jobId: string, fresh: TrackedJob): TrackedJob {
    const known = this.#jobs.get(jobId)
    if (known !== undefined) return known
    this.#jobs.set(jobId, fresh)
    return fresh
  }

  /** The feed has been read up to this position, other streams included. */
  passTo(position: number): void {
    this.#passed = Math.max(this.#passed, position)
  }
}
