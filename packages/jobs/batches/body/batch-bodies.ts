import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { RequestOverError } from '#packages/foundation/errors/request-over-error.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { ThreadFault, TimedThread } from '#packages/foundation/workers/timed-thread.ts'
import type { BodyAnswer, BodyForm, BodyQuestion, ParsedBody } from './parse-body.ts'

/** For whom a body is read, and until when. */
export type BodyReader = { orgId: string; signal: AbortSignal }

/** Large bodies in memory at once, in total. */
const MOST = 16
/** Large bodies of one organization in memory at once. */
const MOST_OF_ONE = 2

/** How long the thread may take for one body, milliseconds. A tenth suffices unless the machine is very busy. */
const PARSE_MS = 10_000

/** Memory of the thread, MiB: 10 MB of JSON made of empty arrays take 200. */
const MAX_MEMORY_MIB = 512

/** Reads the bodies of batch requests in a thread, so that no other request waits. Organizations take turns. */
export class BatchBodies implements AsyncDisposable {
  readonly #large = new Semaphore(MOST)
  readonly #oneAtATime = new Semaphore(1)
  readonly #thread = new TimedThread({
    module: new URL('./body-worker.ts', import.meta.url),
    timeoutMs: PARSE_MS,
    memoryMib: MAX_MEMORY_MIB,
  })

  /**
   * @param isLarge whether it may have more than 64 KB
   * @param read reads its bytes, once there is room for them
   * @throws ServiceError invalid_request, payload_too_large, unavailable; what `read` throws
   */
  async read(
    asked: { isLarge: boolean; form: BodyForm; mostRequests: number },
    read: () => Promise<Uint8Array>,
    { orgId, signal }: BodyReader,
  ): Promise<ParsedBody> {
    const { isLarge, form, mostRequests } = asked
    try {
      using _permit = isLarge ? await this.#large.acquire(signal, [{ name: orgId, most: MOST_OF_ONE }]) : undefined
      const bytes = await read()
      const question = { bytes, form, mostRequests } satisfies BodyQuestion
      const answer = await this.#ask(question, { orgId, signal })
      if (!('problem' in answer)) return answer
      const { path, message } = answer.problem
      throw answer.isLarge
        ? new ServiceError('payload_too_large', `The ${path} ${message}.`)
        : invalidRequest(answer.problem)
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw new RequestOverError()
      if (!(error instanceof ThreadFault)) throw error
      if (error.isOutOfMemory)
        throw new ServiceError('payload_too_large', 'The body has too many parts.', { cause: error })
      throw new ServiceError('unavailable', 'The body could not be read in time. Try again.', { cause: error })
    }
  }

  async #ask(question: BodyQuestion, { orgId, signal }: BodyReader): Promise<BodyAnswer> {
    using _permit = await this.#oneAtATime.acquire(signal, [orgId])
    return (await this.#thread.ask(question)) as BodyAnswer
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
