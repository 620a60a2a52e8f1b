import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { ThreadFault, TimedThread } from '#packages/foundation/workers/timed-thread.ts'
import type { ToValidation } from './validation-worker.ts'

/** Validation took more time or memory than one answer may take. */
export class ValidationTooCostlyError extends Error {
  readonly code = 'validation_too_costly'
}

/** The organization for which an answer is validated, and a signal that ends the wait. */
export type Asker = { organization: string; signal: AbortSignal }

/** Time limit for compiling a schema and validating one answer, milliseconds. */
const CHECK_MS = 1000
/** Memory of the thread, MiB. */
const MAX_MEMORY_MIB = 64

/**
 * Validates answers against callers' schemas, one at a time, in a thread that is terminated if an answer takes too
 * long: a schema is untrusted code. Organizations take turns. The first answer starts the thread, and later ones
 * reuse it.
 */
export class Validation implements AsyncDisposable {
  readonly #oneAtATime = new Semaphore(1)
  readonly #thread = new TimedThread({
    module: new URL('./validation-worker.ts', import.meta.url),
    timeoutMs: CHECK_MS,
    memoryMib: MAX_MEMORY_MIB,
  })

  /**
   * @returns the problems of the answer, in words; an empty list if it fits
   * @throws ValidationTooCostlyError; the signal's reason when aborted before its turn
   */
  async problems(schema: Record<string, unknown>, answer: unknown, asker: Asker): Promise<string[]> {
    const { organization, signal } = asker
    const asked: ToValidation = { schema: JSON.stringify(schema), answer: JSON.stringify(answer) }
    try {
      using _permit = await this.#oneAtATime.acquire(signal, [organization])
      return (await this.#thread.ask(asked)) as string[]
    } catch (cause) {
      if (!(cause instanceof ThreadFault)) throw cause
      throw new ValidationTooCostlyError('the answer could not be validated against the schema', { cause })
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
