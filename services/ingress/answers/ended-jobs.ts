import { LRUCache } from 'lru-cache'
import { type TranscriptForm, transcriptForms } from '#packages/captions/transcript-forms.ts'
import type { JobQuestion } from '#packages/jobs/job-watch.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { growingTo } from '#packages/work/growing-to.ts'
import type { IngressOptions } from '../options.ts'
import { inForm, type JobAnswer, type ReadWords } from './job-answer.ts'

type CachedAnswer = { orgId: string; kind: JobQuestion['kind']; answer: JobAnswer; readAt: number }

/** Deleted jobs of which a poll may still be under way. */
const FORGOTTEN_JOBS = 10_000

type Options = Pick<IngressOptions, 'endedJobsCharacters' | 'endedJobsValidMs'>

/**
 * A cache of the answers to polls of ended jobs, which callers repeat. An ended job never changes, but its stream may
 * be removed, so an answer expires.
 */
export class EndedJobs {
  readonly #clock: Clock
  readonly #validMs: number
  readonly #answers: LRUCache<string, CachedAnswer>
  /** Answers in other forms than JSON, each with its JSON answer. To make one is the slowest part of a poll. */
  readonly #written: LRUCache<string, { from: JobAnswer; answer: JobAnswer }>
  /** Jobs whose content was removed here. */
  readonly #forgotten = new LRUCache<string, true>(growingTo(FORGOTTEN_JOBS))

  constructor(clock: Clock, { endedJobsCharacters, endedJobsValidMs }: Options) {
    this.#clock = clock
    this.#validMs = endedJobsValidMs
    const sizeCalculation = ({ answer }: CachedAnswer): number => answer.text.length
    this.#answers = new LRUCache({ maxSize: endedJobsCharacters, sizeCalculation })
    this.#written = new LRUCache({
      maxSize: endedJobsCharacters,
      sizeCalculation: ({ answer }) => answer.text.length,
    })
  }

  /** @returns undefined also for a job of another organization or kind */
  answer({ jobId, orgId, kind }: JobQuestion): JobAnswer | undefined {
    const known = this.#answers.get(jobId)
    if (known === undefined || known.orgId !== orgId || known.kind !== kind) return undefined
    if (this.#clock.now() - known.readAt >= this.#validMs) return undefined
    return known.answer
  }

  /** @param from the answer in JSON */
  async inForm(jobId: string, from: JobAnswer, form: TranscriptForm, readWords: ReadWords): Promise<JobAnswer> {
    const key = keyOf(jobId, form.contentType)
    const written = this.#written.get(key)
    if (written?.from === from) return written.answer
    const answer = await inForm(from, form, readWords)
    if (answer !== from && !this.#forgotten.has(jobId)) this.#written.set(key, { from, answer })
    return answer
  }

  /** Its content is removed. A poll that has read it before may want it to be remembered later. */
  forget(jobId: string): void {
    this.#forgotten.set(jobId, true)
    this.#answers.delete(jobId)
    for (const { contentType } of Object.values(transcriptForms)) this.#written.delete(keyOf(jobId, contentType))
  }

  /** @param answer of a job that has ended */
  remember({ jobId, orgId, kind }: JobQuestion, answer: JobAnswer): void {
    if (this.#forgotten.has(jobId)) return
    this.#answers.set(jobId, { orgId, kind, answer, readAt: this.#clock.now() })
  }
}

const keyOf = (jobId: string, contentType: string): string => `${jobId} ${contentType}`
