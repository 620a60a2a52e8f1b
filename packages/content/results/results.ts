import type { TimedWord } from '#packages/content/captions/cues/units.ts'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { unlessAborted } from '#packages/foundation/concurrency/unless-aborted.ts'
import { RequestOverError } from '#packages/foundation/errors/request-over-error.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { ThreadFault, TimedThread } from '#packages/foundation/workers/timed-thread.ts'
import { type ResultAnswer, type ResultQuestion, readResult, type WantedForm } from './read-result.ts'
import type { ShownValue } from './shown-value.ts'
import type { Place, TranscriptPage } from './transcript-page.ts'

/** The organization for which a result is read, and a signal that ends the read. */
export type Reader = { orgId: string; signal: AbortSignal }

/** Reads the JSON of a result, or of the Job object that contains it. Undefined if there is none. */
export type ReadJson = () => Promise<string | undefined>

/** Reads the words of a transcript. Undefined if they are unknown. */
export type ReadWords = () => Promise<readonly TimedWord[] | undefined>

/** A shorter result is parsed in the caller's thread: that takes at most a millisecond or two. */
const SMALL = 64 * 1024
/** The limit when sentences are needed, which takes ten times as long. */
const SMALL_TO_CHUNK = 6 * 1024
/** How many results are read, or wait for the thread, at once. Memory holds no more large ones. */
const MOST = 8
/** The most for one organization, so that it takes four of them with slow reads to delay others. */
const MOST_OF_ONE = 2
/** How long one read of the store may take, milliseconds. */
const READ_MS = 10_000
/** How long the thread may take for one result, milliseconds. A hundredth suffices unless the machine is very busy. */
const PARSE_MS = 10_000
/** Memory of the thread, MiB. A few megabytes of small values take fifty times as much. */
const MAX_MEMORY_MIB = 384

/** `readMs`: how long one read of the store may take. */
type Options = { readMs?: number; memoryMib?: number }

/**
 * Makes pages and files of results, a few at once. A thread parses large ones, one at a time, so that no other
 * request waits. Organizations take turns.
 */
export class Results implements AsyncDisposable {
  /** Unbounded: each request waits once, and the limits of requests bound how many wait. */
  readonly #reads = new Semaphore(MOST)
  readonly #oneAtATime = new Semaphore(1)
  readonly #thread: TimedThread
  readonly #readMs: number

  constructor({ readMs = READ_MS, memoryMib = MAX_MEMORY_MIB }: Options = {}) {
    this.#readMs = readMs
    const module = new URL('./results-worker.ts', import.meta.url)
    this.#thread = new TimedThread({ module, timeoutMs: PARSE_MS, memoryMib })
  }

  /** The part of a transcript that a page shows. Undefined if there is no result. */
  async transcriptPage(read: ReadJson, place: Place, reader: Reader): Promise<TranscriptPage | undefined> {
    const answer = await this.#of(read, reader, (json) => this.#ask({ json, want: 'page', place }, reader))
    return answer && (answer as { page: TranscriptPage }).page
  }

  /** The part of an extraction that a page shows. Undefined if there is no result. */
  async value(read: ReadJson, reader: Reader): Promise<ShownValue | undefined> {
    const answer = await this.#of(read, reader, (json) => this.#ask({ json, want: 'value' }, reader))
    return answer && (answer as { value: ShownValue }).value
  }

  /** A transcript in a form other than its JSON. Undefined if there is no result. */
  async transcriptIn(
    form: WantedForm,
    { json, words }: { json: ReadJson; words: ReadWords },
    reader: Reader,
  ): Promise<string | undefined> {
    const answer = await this.#of(json, reader, async (text) => {
      const question = { json: text, want: 'form', form } as const
      const written = await this.#ask({ ...question, words: null }, reader)
      if (written !== 'words') return written
      return this.#ask({ ...question, words: (await this.#read(words, reader)) ?? [] }, reader)
    })
    return answer && (answer as { text: string }).text
  }

  async #of(
    read: ReadJson,
    reader: Reader,
    ask: (json: string) => Promise<ResultAnswer>,
  ): Promise<ResultAnswer | undefined> {
    const { orgId, signal } = reader
    try {
      using _permit = await this.#reads.acquire(signal, [{ name: orgId, most: MOST_OF_ONE }])
      const json = await this.#read(read, reader)
      return json === undefined ? undefined : await ask(json)
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw new RequestOverError()
      throw error
    }
  }

  /** Runs a read. If its caller leaves, the read continues without delaying others. */
  async #read<T>(read: () => Promise<T>, { signal }: Reader): Promise<T> {
    signal.throwIfAborted()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(notInTime()), this.#readMs)
    try {
      return await unlessAborted(read(), AbortSignal.any([signal, late.signal]))
    } finally {
      clearTimeout(timer)
    }
  }

  async #ask(question: ResultQuestion, { orgId, signal }: Reader): Promise<ResultAnswer> {
    if (question.json.length <= smallFor(question)) return readResult(question)
    try {
      using _permit = await this.#oneAtATime.acquire(signal, [orgId])
      return (await this.#thread.ask(question)) as ResultAnswer
    } catch (cause) {
      if (!(cause instanceof ThreadFault)) throw cause
      if (cause.isOutOfMemory) throw new ServiceError('internal_error', 'The result takes too much memory.', { cause })
      throw notInTime(cause)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}

const smallFor = (question: ResultQuestion): number =>
  question.want === 'form' && typeof question.form !== 'string' ? SMALL_TO_CHUNK : SMALL

const notInTime = (cause?: unknown): ServiceError =>
  new ServiceError('unavailable', 'The result could not be read in time. Try again.', { cause })
