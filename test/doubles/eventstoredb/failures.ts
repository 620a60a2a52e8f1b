import { Metadata, type StatusObject, status } from '@grpc/grpc-js'
import { endOfTime } from './retention.ts'

/** The most data that one append may have, in bytes, without metadata. */
export const maxAppendBytes = 1_048_576

/** A refusal as a gRPC status. Its trailers tell the client which error it is. */
class Refusal extends Error implements Partial<StatusObject> {
  readonly code: status
  readonly details: string
  readonly metadata = new Metadata()

  constructor(code: status, details: string, trailers: Record<string, string> = {}) {
    super(details)
    this.code = code
    this.details = details
    for (const [name, value] of Object.entries(trailers)) this.metadata.set(name, value)
  }
}

export const streamDeleted = (stream: string): Refusal =>
  new Refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  })

/** The refusals of deleting and tombstoning. `expected` and `actual` are revisions; -1 is no stream, -2 any. */
export const wrongVersion = (stream: string, expected: string, actual: number): Refusal =>
  new Refusal(
    status.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': expected,
      'actual-version': String(actual),
    },
  )

export const tooLarge = (): Refusal =>
  new Refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${maxAppendBytes} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(maxAppendBytes),
  })

export const badRequest = (): Refusal => new Refusal(status.INVALID_ARGUMENT, 'BadRequest')

/** The real server's answer to a read with invalid arguments. */
export const unexpectedResult = (result: 'ReadStreamResult' | 'ReadAllResult'): Refusal =>
  new Refusal(status.UNKNOWN, `Unexpected ${result}: Error`)

export const handlerThrew = (): Refusal => new Refusal(status.UNKNOWN, 'Exception was thrown by handler.')

export const consumerTooSlow = (): Refusal =>
  new Refusal(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  )

/** No user, or a user with a wrong password. */
export const unauthenticated = (): Refusal => new Refusal(status.UNAUTHENTICATED, 'Unauthenticated')

/** A user without the right to do this. */
export const accessDenied = (): Refusal =>
  new Refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' })

/** True for the greatest revision: the client's END, and a tombstone's. */
export const isEndOfTime = (revision: string): boolean => BigInt(revision) >= BigInt(endOfTime)
