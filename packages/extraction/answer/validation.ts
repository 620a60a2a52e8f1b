import { Worker } from 'node:worker_threads'
import type { FromValidation, ToValidation } from './validation-worker.ts'

/** The schema asks for more time or memory than an answer is given. */
export class ValidationTooCostlyError extends Error {
  readonly code = 'validation_too_costly'
}

/** How long compiling a schema and checking one answer may take. */
const CHECK_MS = 1000
/** Memory of the thread, MiB. */
const MAX_MEMORY_MIB = 64
/** The thread starts, and reads its modules, within this. */
const START_MS = 20_000

/**
 * Holds answers to callers' schemas, one at a time, in a thread that is ended when one takes too long: a schema is code
 * of a stranger. The thread is started by the first answer and kept for the next.
 */
export class Validation implements AsyncDisposable {
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()

  /**
   * @returns what is wrong with the answer, in words; nothing where it fits
   * @throws ValidationTooCostlyError; the signal's reason where it is aborted before its turn
   */
  problems(schema: Record<string, unknown>, answer: unknown, signal: AbortSignal): Promise<string[]> {
    const asked = { schema: JSON.stringify(schema), answer: JSON.stringify(answer) }
    const mine = this.#last.then(() => {
      signal.throwIfAborted()
      return this.#ask(asked)
    })
    this.#last = mine.catch(() => {})
    return mine
  }

  async #ask(asked: ToValidation): Promise<string[]> {
    this.#worker ??= started()
    const worker = await this.#worker.catch((error: unknown) => {
      this.#worker = undefined
      throw error
    })
    try {
      return (await answerOf(worker, asked, CHECK_MS)).problems
    } catch (error) {
      this.#worker = undefined
      await worker.terminate()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    const worker = await this.#worker?.catch(() => undefined)
    this.#worker = undefined
    await worker?.terminate()
  }
}

async function started(): Promise<Worker> {
  const worker = new Worker(new URL('./validation-worker.ts', import.meta.url), {
    // no loader of the main thread, which would only make the start slower; nor its environment
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MIB, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
  })
  worker.unref()
  await message(worker, START_MS)
  return worker
}

async function answerOf(worker: Worker, asked: ToValidation, timeoutMs: number): Promise<FromValidation> {
  const answer = message(worker, timeoutMs)
  worker.postMessage(asked)
  try {
    return (await answer) as FromValidation
  } catch (cause) {
    throw new ValidationTooCostlyError('the answer could not be held to the schema', { cause })
  }
}

/** The next message of a worker. @throws Error where it ends or is late */
function message(worker: Worker, timeoutMs: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const fail = (cause: unknown) => reject(new Error('the thread gave no answer', { cause }))
  const timer = setTimeout(fail, timeoutMs, new Error(`no answer within ${timeoutMs} ms`))
  worker.once('message', resolve).once('error', fail).once('exit', fail)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', fail).off('exit', fail)
  })
}
