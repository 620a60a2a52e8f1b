import { FairMutex } from '#packages/work/fair-mutex.ts'
import { ThreadFault, TimedThread } from '#packages/workers/timed-thread.ts'
import type { ToValidation } from './validation-worker.ts'

/** The schema asks for more time or memory than an answer is given. */
export class ValidationTooCostlyError extends Error {
  readonly code = 'validation_too_costly'
}

/** For whom an answer is held to a schema, and until when. */
export type Asker = { organization: string; signal: AbortSignal }

/** How long compiling a schema and checking one answer may take. */
const CHECK_MS = 1000
/** Memory of the thread, MiB. */
const MAX_MEMORY_MIB = 64

/**
 * Holds answers to callers' schemas, one at a time, in a thread that is ended when one takes too long: a schema is code
 * of a stranger. Organizations take turns. The thread is started by the first answer and kept for the next.
 */
export class Validation implements AsyncDisposable {
  readonly #mutex = new FairMutex()
  readonly #thread = new TimedThread({
    module: new URL('./validation-worker.ts', import.meta.url),
    timeoutMs: CHECK_MS,
    memoryMib: MAX_MEMORY_MIB,
  })

  /**
   * @returns what is wrong with the answer, in words; nothing where it fits
   * @throws ValidationTooCostlyError; the signal's reason where it is aborted before its turn
   */
  async problems(schema: Record<string, unknown>, answer: unknown, asker: Asker): Promise<string[]> {
    const { organization, signal } = asker
    const asked: ToValidation = { schema: JSON.stringify(schema), answer: JSON.stringify(answer) }
    try {
      return (await this.#mutex.run(organization, signal, () => this.#thread.ask(asked))) as string[]
    } catch (cause) {
      if (!(cause instanceof ThreadFault)) throw cause
      throw new ValidationTooCostlyError('the answer could not be held to the schema', { cause })
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
