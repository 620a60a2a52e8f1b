import { convertToCommandError } from '@eventstore/db-client'
import type { Carried, Stubs } from './client-internals.ts'

type Call = ReturnType<ReturnType<Stubs['getChannel']>['createCall']>
type Status = Parameters<Parameters<Call['start']>[1]['onReceiveStatus']>[0]

/** gRPC's status for success. */
const OK = 0

/** gRPC's status for a cancelled call. */
const CANCELLED = 1

/** Receives the answers of a call. */
export type Receiver = {
  /** Called with each requested message. If it throws, the call ends. */
  received(message: Buffer): void
  /** Called once. `error`: the client's error; undefined if the server ended the call normally. */
  ended(error: unknown): void
}

/**
 * A call on the client's channel. It uses less CPU than the client's stubs: no Node streams and no generated classes.
 */
export class ChannelCall {
  readonly #call: Call
  readonly #receiver: Receiver
  #isOver = false

  /** @param carried metadata and options, as the client makes them */
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

  /** Requests the server's next message. */
  next(): void {
    this.#call.startRead()
  }

  /** Sends a message. Send the next one only after `sent` was called. */
  send(message: Buffer, sent: () => void): void {
    this.#call.sendMessageWithContext({ callback: sent }, message)
  }

  /** Sends the only message of this call. */
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
