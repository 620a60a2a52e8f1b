import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { WriteOutcome, WriteRequest } from './append-writer.ts'
import type { FromWriter, ToWriter, WriterCall, WriterOptions } from './writer-thread.ts'

type Waiting = { resolve(outcome: WriteOutcome): void; reject(error: Error): void }

/** This side of the writer's thread: hands requests over and gives their outcomes back. Owns the thread. */
export class Writer implements AsyncDisposable {
  readonly #worker: Worker
  readonly #maxWaiting: number
  readonly #waiting = new Map<number, Waiting>()
  #collected: WriterCall[] = []
  #calls = 0
  #ended: Error | undefined
  /** Transactions that have been answered. */
  transactions = 0

  /** Resolves when the thread has opened the file. @throws what kept it from doing so */
  static async start(options: WriterOptions & { maxWaiting: number }): Promise<Writer> {
    const { path, busyTimeoutMs } = options
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { path, busyTimeoutMs } satisfies WriterOptions,
      // No loader of the main thread: it would only make the start slower.
      execArgv: [],
    })
    await once(worker, 'message')
    return new Writer(worker, options.maxWaiting)
  }

  private constructor(worker: Worker, maxWaiting: number) {
    this.#worker = worker
    this.#maxWaiting = maxWaiting
    worker.on('message', (message: FromWriter) => this.#answered(message))
    worker.on('error', (error) => this.#end(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', () => this.#end(new Error('the event store is closed')))
  }

  /** @throws Error the store is closed or overloaded, or the thread has died; then it is not known what was written */
  write(request: WriteRequest): Promise<WriteOutcome> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    if (this.#waiting.size >= this.#maxWaiting) {
      return Promise.reject(new Error(`${this.#maxWaiting} appends are waiting for the disk already`))
    }
    const call = this.#calls++
    // What one turn of the event loop appends goes over in one message.
    if (this.#collected.length === 0) queueMicrotask(() => this.#send())
    this.#collected.push({ call, request })
    return new Promise((resolve, reject) => this.#waiting.set(call, { resolve, reject }))
  }

  #send(): void {
    const calls = this.#collected
    this.#collected = []
    if (this.#ended === undefined) this.#worker.postMessage(calls satisfies ToWriter)
  }

  #answered(message: FromWriter): void {
    if (message === 'ready') return
    this.transactions++
    for (const { call, outcome } of message) {
      this.#waiting.get(call)?.resolve(outcome)
      this.#waiting.delete(call)
    }
  }

  #end(reason: Error): void {
    this.#ended ??= reason
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }

  /** Waits for what has been handed over, then ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended !== undefined) return
    this.#send()
    const exited = once(this.#worker, 'exit')
    this.#worker.postMessage('close' satisfies ToWriter)
    this.#ended = new Error('the event store is closed')
    await exited
  }
}
