import type { ReadFrom } from '#packages/domain/job/events.ts'
import { nothingUsedYet, type Used } from '#packages/domain/job/used.ts'

/** The job was cancelled: the result of the attempt is no longer wanted. */
export class CancelledError extends Error {
  readonly code = 'cancelled'
  constructor() {
    super('the job was cancelled')
  }
}

/** One attempt, from before its claim to its end. */
export class AttemptUnderWay implements Disposable {
  /** Its usage so far. Its step adds to it as it goes. */
  readonly used: Used = nothingUsedYet()
  /** The place of its latest read. Undefined: nowhere outside. */
  readFrom: ReadFrom | undefined
  readonly #end = new AbortController()
  readonly #over: () => void

  constructor(over: () => void) {
    this.#over = over
  }

  /** Aborted at the end of the attempt, with its reason. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Only the first reason counts. */
  end(reason: Error): void {
    this.#end.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#over()
  }
}

/**
 * The attempts of this process, by job. The processors begin them. The ingress, if it is in the same process, cancels
 * them and sees their progress. An attempt of another process notices a cancelled job at its next append.
 */
export class AttemptsUnderWay {
  readonly #byJob = new Map<string, Set<AttemptUnderWay>>()

  /** Call it before the claim, so that no cancellation is missed, and dispose of it at the end. */
  begin(jobId: string): AttemptUnderWay {
    const attempts = this.#byJob.get(jobId) ?? new Set()
    this.#byJob.set(jobId, attempts)
    const attempt = new AttemptUnderWay(() => {
      attempts.delete(attempt)
      if (attempts.size === 0 && this.#byJob.get(jobId) === attempts) this.#byJob.delete(jobId)
    })
    attempts.add(attempt)
    return attempt
  }

  /** The job has ended: its attempts here must stop. */
  cancel(jobId: string): void {
    for (const attempt of this.#byJob.get(jobId) ?? []) attempt.end(new CancelledError())
  }

  /** Usage of the attempt at work on the job so far. Undefined: none is under way here. */
  usedBy(jobId: string): Used | undefined {
    for (const attempt of this.#byJob.get(jobId) ?? []) return attempt.used
    return undefined
  }
}
