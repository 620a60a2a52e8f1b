import type { TimedWord } from '#packages/captions/cues/units.ts'
import type { FormName } from '#packages/captions/transcript-forms.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { FairMutex } from '#packages/work/fair-mutex.ts'
import { ThreadFault, TimedThread } from '#packages/workers/timed-thread.ts'
import { type ResultAnswer, type ResultQuestion, readResult } from './read-result.ts'
import type { ShownValue } from './shown-value.ts'
import type { Place, TranscriptPage } from './transcript-page.ts'

/** On whose behalf a result is read, and until when. */
export type Reader = { orgId: string; signal: AbortSignal }

/** Reads the JSON of a result, or of the Job object that has it; undefined where there is none. */
export type ReadJson = () => Promise<string | undefined>

/** Reads the words of a transcript; undefined where they are not known. */
export type ReadWords = () => Promise<readonly TimedWord[] | undefined>

/** A shorter result is parsed where it is asked for: that takes less than a millisecond or two. */
const SMALL = 64 * 1024
/** How long the thread may take for one result, milliseconds; a hundredth suffices unless the machine is very busy. */
const READ_MS = 10_000
/** Memory of the thread, MiB: a few megabytes of small values take fifty times as much. */
const MAX_MEMORY_MIB = 384

/**
 * Makes pages and files of results. One that is large is parsed in a thread, so that no other request waits, and one at a
 * time, from reading it on: however many are asked for, memory holds one. Organizations take turns.
 */
export class Results implements AsyncDisposable {
  readonly #mutex = new FairMutex()
  readonly #thread = new TimedThread({
    module: new URL('./results-worker.ts', import.meta.url),
    timeoutMs: READ_MS,
    memoryMib: MAX_MEMORY_MIB,
  })

  /** The part of a transcript that a page shows; undefined where there is no result. */
  async transcriptPage(read: ReadJson, place: Place, reader: Reader): Promise<TranscriptPage | undefined> {
    const answer = await this.#of(read, reader, (json) => this.#ask({ json, want: 'page', place }))
    return answer && (answer as { page: TranscriptPage }).page
  }

  /** The part of an extraction that a page shows; undefined where there is no result. */
  async value(read: ReadJson, reader: Reader): Promise<ShownValue | undefined> {
    const answer = await this.#of(read, reader, (json) => this.#ask({ json, want: 'value' }))
    return answer && (answer as { value: ShownValue }).value
  }

  /** A transcript in another form than JSON; undefined where there is no result. */
  async transcriptIn(
    form: FormName,
    { json, words }: { json: ReadJson; words: ReadWords },
    reader: Reader,
  ): Promise<string | undefined> {
    const answer = await this.#of(json, reader, async (text) => {
      const question = { json: text, want: 'form', form } as const
      const written = await this.#ask({ ...question, words: null })
      return written === 'words' ? this.#ask({ ...question, words: (await words()) ?? [] }) : written
    })
    return answer && (answer as { text: string }).text
  }

  #of(
    read: ReadJson,
    { orgId, signal }: Reader,
    ask: (json: string) => Promise<ResultAnswer>,
  ): Promise<ResultAnswer | undefined> {
    const turn = this.#mutex.run(orgId, signal, async () => {
      const json = await read()
      return json === undefined ? undefined : ask(json)
    })
    return turn.catch((error: unknown) => {
      // Who asked has gone.
      if (signal.aborted && error === signal.reason) throw new ServiceError('unavailable', 'The request is over.')
      throw error
    })
  }

  async #ask(question: ResultQuestion): Promise<ResultAnswer> {
    if (question.json.length <= SMALL) return readResult(question)
    try {
      return (await this.#thread.ask(question)) as ResultAnswer
    } catch (cause) {
      if (!(cause instanceof ThreadFault)) throw cause
      throw new ServiceError('unavailable', 'The result could not be read in time. Try again.', { cause })
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
