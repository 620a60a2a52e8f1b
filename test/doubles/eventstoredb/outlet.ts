import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { ServerWritableStream } from '@grpc/grpc-js'

/** Sends answers to a reader: waits while the reader is behind, and knows when it has left. */
export class Outlet {
  readonly #call: ServerWritableStream<ReadReq, ReadResp>
  readonly #sent: (message: ReadResp) => void
  readonly #left = new AbortController()
  #drained: Promise<void> | undefined

  /** @param sent is called with every message */
  constructor(call: ServerWritableStream<ReadReq, ReadResp>, sent: (message: ReadResp) => void) {
    this.#call = call
    this.#sent = sent
    const leave = (): void => this.#left.abort()
    call.on('cancelled', leave).on('error', leave).on('close', leave)
  }

  /** Aborted when the reader has left. */
  get signal(): AbortSignal {
    return this.#left.signal
  }

  get closed(): boolean {
    return this.#left.signal.aborted
  }

  /** Resolves when the reader has room again. Undefined if it has room now. */
  get drained(): Promise<void> | undefined {
    return this.#drained
  }

  /** Sends, and waits until there is room for the next message. */
  async send(message: ReadResp): Promise<void> {
    this.sendNow(message)
    await this.#drained
  }

  /** Sends without waiting. */
  sendNow(message: ReadResp): void {
    if (this.closed) return
    this.#sent(message)
    if (this.#call.write(message)) return
    this.#drained ??= new Promise((resolve) => {
      const go = (): void => {
        this.#drained = undefined
        this.#call.off('drain', go)
        this.signal.removeEventListener('abort', go)
        resolve()
      }
      this.#call.on('drain', go)
      this.signal.addEventListener('abort', go)
    })
  }

  end(): void {
    if (!this.closed) this.#call.end()
  }

  fail(error: Error): void {
    if (!this.closed) this.#call.emit('error', error)
  }
}
