import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { WriteOutcome, WriteRequest } from './append-writer.ts'
import type { FromWriter, ToWriter, WriterCall, WriterOptions } from './writer-thread.ts'

/** What a store needs from its writer. */
export type Appender = AsyncDisposable & Pick<Writer, 'idle' | 'transactions' | 'write'>

/** Takes the writer's place for a file that is only read. */
export const noAppends: Appender = {
  idle: true,
  transactions: 0,
  write: () => Promise.reject(new Error('the event file was opened for reading only')),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

/**
 * The owner of the writer's thread. Sends requests to it and returns their outcomes. If the thread has died, the next
 * request starts another one.
 */
export class Writer implements AsyncDisposable {
  readonly #options: WriterOptions
  readonly #maxWaiting: number
  readonly #waiting = new Map<number, PromiseWithResolvers<WriteOutcome>>()
  #worker: Worker | undefined
  #collected: WriterCall[] = []
  #calls = 0
  #closed = false
  /** Transactions that have been answered. */
  transactions = 0

  /** Resolves when the thread has opened the file. @throws the error that prevented it */
  static async start({ maxWaiting, ...options }: WriterOptions & { maxWaiting: number }): Promise<Writer> {
    const writer = new Writer(options, maxWaiting)
    await once(writer.#thread(), 'message')
    return writer
  }

  private constructor(options: WriterOptions, maxWaiting: number) {
    this.#options = options
    this.#maxWaiting = maxWaiting
  }

  /** Whether no request is under way. */
  get idle(): boolean {
    return this.#waiting.size === 0
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: this.#options,
      // Without the loader of the main thread, which would only slow down the start.
      execArgv: [],
    })
    worker.on('message', (message: FromWriter) => this.#answered(message))
    worker.on('error', (error) => this.#died(worker, error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', () => this.#died(worker, new Error('the event store is closed')))
    this.#worker = worker
    return worker
  }

  /**
   * @throws Error the store is closed or overloaded, or the thread died; if it died, the request may have been written
   */
  write(request: WriteRequest): Promise<WriteOutcome> {
    if (this.#closed) return Promise.reject(new Error('the event store is closed'))
    if (this.#waiting.size >= this.#maxWaiting) {
      return Promise.reject(new Error(`${this.#maxWaiting} appends are waiting for the disk already`))
    }
    const call = this.#calls++
    // All appends of one turn of the event loop share one message. Every message wakes the thread, and each group of
    // messages is a transaction. A microtask would be too early: it runs after each callback of a turn.
    if (this.#collected.length === 0) setImmediate(() => this.#send())
    this.#collected.push({ call, request })
    const waiting = Promise.withResolvers<WriteOutcome>()
    this.#waiting.set(call, waiting)
    return waiting.promise
  }

  #send(): void {
    const calls = this.#collected
    this.#collected = []
    if (calls.length > 0) this.#thread().postMessage(calls satisfies ToWriter)
  }

  #answered(message: FromWriter): void {
    if (message === 'ready') return
    this.transactions++
    for (const { call, outcome } of message) {
      this.#waiting.get(call)?.resolve(outcome)
      this.#waiting.delete(call)
    }
  }

  #died(worker: Worker, reason: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
    this.#collected = []
  }

  /** Waits for the requests that were sent, then ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#send()
    const worker = this.#worker
    if (worker === undefined) return
    const exited = once(worker, 'exit')
    worker.postMessage('close' satisfies ToWriter)
    await exited
  }
}
