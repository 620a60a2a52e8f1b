import { LRUCache } from 'lru-cache'
import type { Clock } from '#packages/ports/clock.ts'
import type { JobAnswer } from './job-answer.ts'
import type { JobQuestion } from './job-watch.ts'
import type { IngressOptions } from './options.ts'

type Remembered = { orgId: string; kind: JobQuestion['kind']; answer: JobAnswer; readAt: number }

type Options = Pick<IngressOptions, 'endedJobsCharacters' | 'endedJobsValidMs'>

/**
 * What polls of jobs that have ended were answered with. Such a job never changes, and callers ask again. It can only
 * be removed, with its stream: so an answer is read anew after a while.
 */
export class EndedJobs {
  readonly #clock: Clock
  readonly #validMs: number
  readonly #answers: LRUCache<string, Remembered>

  constructor(clock: Clock, { endedJobsCharacters, endedJobsValidMs }: Options) {
    this.#clock = clock
    this.#validMs = endedJobsValidMs
    const sizeCalculation = ({ answer }: Remembered): number => answer.text.length
    this.#answers = new LRUCache({ maxSize: endedJobsCharacters, sizeCalculation })
  }

  /** @returns undefined also for a job of another organization or kind */
  answer({ jobId, orgId, kind }: JobQuestion): JobAnswer | undefined {
    const known = this.#answers.get(jobId)
    if (known === undefined || known.orgId !== orgId || known.kind !== kind) return undefined
    return this.#clock.now() - known.readAt < this.#validMs ? known.answer : undefined
  }

  /** @param answer of a job that has ended */
  remember({ jobId, orgId, kind }: JobQuestion, answer: JobAnswer): void {
    this.#answers.set(jobId, { orgId, kind, answer, readAt: this.#clock.now() })
  }
}
