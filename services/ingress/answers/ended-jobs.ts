import { LRUCache } from 'lru-cache'
import { type FormName, transcriptForms } from '#packages/content/captions/transcript-forms.ts'
import type { WantedForm } from '#packages/content/results/read-result.ts'
import type { ReadWords, Results } from '#packages/content/results/results.ts'
import { growingTo } from '#packages/foundation/concurrency/growing-to.ts'
import type { JobQuestion } from '#packages/jobs/status/job-watch.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { IngressOptions } from '../options.ts'
import { inForm, isCompleted, type JobAnswer } from './job-answer.ts'

type CachedAnswer = { orgId: string; kind: JobQuestion['kind']; answer: JobAnswer; readAt: number }

/** The most deleted jobs to remember: a slow poll may still try to cache them. */
const FORGOTTEN_JOBS = 10_000

type Ports = { clock: Clock; results: Pick<Results, 'transcriptIn'> }

/** Reads the JSON answer, and the words of a transcript. */
type Reads = { json(): Promise<JobAnswer>; words: ReadWords }

type Options = Pick<IngressOptions, 'endedJobsCharacters' | 'endedJobsValidMs'>

/**
 * A cache of the answers to polls of ended jobs, because callers repeat these polls. An ended job never changes, but
 * its stream may be removed, so an answer expires.
 */
export class EndedJobs {
  readonly #clock: Clock
  readonly #results: Ports['results']
  readonly #validMs: number
  readonly #answers: LRUCache<string, CachedAnswer>
  /** Answers in other forms than JSON, each with its JSON answer. Making them is the slowest part of a poll. */
  readonly #written: LRUCache<string, { from: JobAnswer; answer: JobAnswer }>
  /** Jobs that had their content removed in this process. */
  readonly #forgotten = new LRUCache<string, true>(growingTo(FORGOTTEN_JOBS))

  constructor({ clock, results }: Ports, { endedJobsCharacters, endedJobsValidMs }: Options) {
    this.#clock = clock
    this.#results = results
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

  /** The answer with its transcript in another form; unchanged if there is no transcript. Chunks are never cached. */
  async inForm(question: JobQuestion, form: WantedForm, reads: Reads, signal: AbortSignal): Promise<JobAnswer> {
    const { jobId, orgId } = question
    const key = typeof form === 'string' ? keyOf(jobId, form) : undefined
    const known = this.answer(question)
    const written = key && this.#written.get(key)
    if (known !== undefined && written && written.from === known) return written.answer
    let from = known
    const json = async (): Promise<string | undefined> => {
      from = await reads.json()
      return isCompleted(from) ? from.text : undefined
    }
    const text = await this.#results.transcriptIn(form, { json, words: reads.words }, { orgId, signal })
    if (text === undefined) return from as JobAnswer
    const answer = inForm(from as JobAnswer, form, text)
    if (key !== undefined && !this.#forgotten.has(jobId)) this.#written.set(key, { from: from as JobAnswer, answer })
    return answer
  }

  /** Drops the answers of a job with removed content. A poll that read it earlier cannot cache it afterwards. */
  forget(jobId: string): void {
    this.#forgotten.set(jobId, true)
    this.#answers.delete(jobId)
    for (const form of Object.keys(transcriptForms) as FormName[]) this.#written.delete(keyOf(jobId, form))
  }

  /** @param answer the answer of an ended job */
  remember({ jobId, orgId, kind }: JobQuestion, answer: JobAnswer): void {
    if (this.#forgotten.has(jobId)) return
    this.#answers.set(jobId, { orgId, kind, answer, readAt: this.#clock.now() })
  }
}

const keyOf = (jobId: string, form: FormName): string => `${jobId} ${form}`
