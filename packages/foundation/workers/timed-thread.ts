import { Worker } from 'node:worker_threads'

export type TimedThreadOptions = {
  /** The module of the thread. It posts `ready` once, then for each message any `{ progress }` and one `{ answer }`. */
  module: URL
  /** How long one answer may take, milliseconds. */
  timeoutMs: number
  /** Memory of the thread, MiB. */
  memoryMib: number
}

/** The thread did not answer in time or crashed; it was terminated. */
export class ThreadFault extends Error {
  readonly code = 'thread_fault'
  /** The last progress that the thread posted; undefined if none. */
  readonly progress: unknown

  constructor(cause: unknown, progress: unknown) {
    super('the thread did not answer', { cause })
    this.progress = progress
  }

  /** If true, the same question will take as much memory the next time. */
  get isOutOfMemory(): boolean {
    return (this.cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
  }
}

/** Time for the thread to start and load its modules, milliseconds. */
const START_MS = 20_000

type Message = { progress: unknown } | { answer: unknown }

/**
 * A thread for work with untrusted input: one question at a time, in order. If an answer takes too long or too much
 * memory, the thread is terminated, and the next question starts another.
 */
export class TimedThread implements AsyncDisposable {
  readonly #options: TimedThreadOptions
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: TimedThreadOptions) {
    this.#options = options
  }

  /** @throws ThreadFault; the signal's reason if it is aborted before its turn */
  ask(question: unknown, signal?: AbortSignal): Promise<unknown> {
    const mine = this.#last.then(() => {
      signal?.throwIfAborted()
      return this.#ask(question)
    })
    this.#last = mine.catch(() => {})
    return mine
  }

  async #ask(question: unknown): Promise<unknown> {
    this.#worker ??= this.#start()
    const worker = await this.#worker
    try {
      return await answerOf(worker, question, this.#options.timeoutMs)
    } catch (error) {
      this.#worker = undefined
      await worker.terminate()
      throw error
    }
  }

  #start(): Promise<Worker> {
    const starting = started(this.#options)
    const forget = (): void => {
      if (this.#worker === starting) this.#worker = undefined
    }
    starting.then((worker) => worker.once('exit', forget), forget)
    return starting
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    const worker = await this.#worker?.catch(() => undefined)
    this.#worker = undefined
    await worker?.terminate()
  }
}

async function started({ module, memoryMib }: TimedThreadOptions): Promise<Worker> {
  const worker = new Worker(module, {
    // Without the main thread's loaders, which would slow the start, and without its environment.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
  })
  worker.unref()
  // It may fail while no question waits: idle, or out of memory while it is being terminated.
  worker.on('error', () => {})
  await nextMessage(worker, START_MS, () => true)
  return worker
}

async function answerOf(worker: Worker, question: unknown, timeoutMs: number): Promise<unknown> {
  let progress: unknown
  const answered = nextMessage(worker, timeoutMs, (message: Message) => {
    if ('progress' in message) progress = message.progress
    return 'answer' in message
  })
  worker.postMessage(question)
  try {
    return ((await answered) as { answer: unknown }).answer
  } catch (cause) {
    throw new ThreadFault(cause, progress)
  }
}

/** The next message of a worker that `isWanted` accepts. @throws Error the worker ends or is late */
async function nextMessage<T>(worker: Worker, timeoutMs: number, isWanted: (message: T) => boolean): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const take = (message: T): void => {
    if (isWanted(message)) resolve(message)
  }
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  const onExit = (): void => reject(new Error('the thread has ended'))
  worker.on('message', take).once('error', reject).once('exit', onExit)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    worker.off('message', take).off('error', reject).off('exit', onExit)
  }
}
