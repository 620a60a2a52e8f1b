import { convertToCommandError } from '@eventstore/db-client'
import type { Carried, Stubs } from './client-internals.ts'

type Call = ReturnType<ReturnType<Stubs['getChannel']>['createCall']>
type Status = Parameters<Parameters<Call['start']>[1]['onReceiveStatus']>[0]

/** gRPC's number for a call that went well. */
const OK = 0

/** gRPC's number for a call that was given up. */
const CANCELLED = 1

/** Whoever a call answers. */
export type Receiver = {
  /** Called with each message that was asked for. What it throws ends the call. */
  received(message: Buffer): void
  /** Called once. `error`: the client's, or undefined where the server ended the call in good order. */
  ended(error: unknown): void
}

/** A call on the client's channel with less CPU than by its stubs: without Node's streams, and without generated classes. */
export class ChannelCall {
  readonly #call: Call
  readonly #receiver: Receiver
  #isOver = false

  /** @param carried as the client makes it */
  constructor(stubs: Stubs, path: string, [metadata, { credentials }]: Carried, receiver: Receiver) {
    this.#receiver = receiver
    this.#call = stubs.getChannel().createCall(path, Infinity, null, null, null)
    if (credentials !== undefined) this.#call.setCredentials(credentials)
    this.#call.start(metadata, {
      onReceiveMetadata: () => undefined,
      onReceiveMessage: (message: Buffer) => this.#received(message),
      onReceiveStatus: (status) => this.#ended(status.code === OK ? undefined : errorOf(status)),
    })
  }

  #received(message: Buffer): void {
    try {
      this.#receiver.received(message)
    } catch (error) {
      this.#ended(error)
      this.cancel()
    }
  }

  #ended(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#receiver.ended(error)
  }

  /** Asks for the next message of the server. */
  next(): void {
    this.#call.startRead()
  }

  /** Sends a message. The next one may be sent once `sent` was called. */
  send(message: Buffer, sent: () => void): void {
    this.#call.sendMessageWithContext({ callback: sent }, message)
  }

  /** Sends the only message. */
  sendAll(message: Buffer): void {
    this.#call.sendMessageWithContext({}, message)
    this.#call.halfClose()
  }

  cancel(): void {
    this.#call.cancelWithStatus(CANCELLED, 'given up')
  }
}

const errorOf = (status: Status): Error =>
  convertToCommandError(Object.assign(new Error(`${status.code}: ${status.details}`), status))
