import type { StoredEvent } from '#packages/ports/event-store.ts'
import { applyJobEvent, type TrackedJob, trackedFrom } from './tracked-job.ts'

/** All open jobs, folded from the feed of `credits-` and `job-` streams. */
export class OpenJobs {
  readonly #jobs = new Map<string, TrackedJob>()

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

  /** Takes in one event. Returns the open job it belongs to; undefined where it closes one, or concerns none. */
  apply(event: StoredEvent): TrackedJob | undefined {
    if (event.type === 'CreditsDebited') return this.#opened(event.data.jobId, trackedFrom(event))
    if (event.type === 'CreditsSettled') {
      this.#jobs.delete(event.data.jobId)
      return undefined
    }
    // A job whose debit was not seen was settled before the checkpoint was taken.
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

  /** Where to read from after a restart: just before the oldest debit that is still open. */
  checkpoint(lastRead: number): number {
    for (const { debitPosition, noted } of this.#jobs.values()) {
      // Debits come in position order, so the first one found is the oldest.
      if (!noted && debitPosition !== undefined) return debitPosition - 1
    }
    return lastRead
  }
}
