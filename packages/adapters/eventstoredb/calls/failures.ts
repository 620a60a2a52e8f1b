import { ErrorType } from '@eventstore/db-client'
import {
  AppendTooLargeError,
  InvalidEventError,
  RevisionConflictError,
  StreamRemovedError,
  UnknownEventError,
} from '#packages/ports/event-store.ts'

/** The client's name of an error; undefined for plain errors, such as those of code 14. */
export const typeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : undefined

/** The answer of a call, or `instead` if it fails because its stream was removed. */
export const unlessRemoved = <T>(call: Promise<T>, instead: T): Promise<T> =>
  call.catch((error: unknown) => {
    if (typeOf(error) === ErrorType.STREAM_DELETED) return instead
    throw error
  })

const refusals: ReadonlySet<string | undefined> = new Set([
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.STREAM_DELETED,
  ErrorType.STREAM_NOT_FOUND,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.INVALID_ARGUMENT,
])

/**
 * True if the same call would fail with this error again. After any other error, the call may have taken effect or not.
 */
export const isAnswered = (error: unknown): boolean =>
  refusals.has(typeOf(error)) ||
  error instanceof RevisionConflictError ||
  error instanceof StreamRemovedError ||
  error instanceof AppendTooLargeError ||
  error instanceof InvalidEventError ||
  error instanceof UnknownEventError ||
  error instanceof PositionError ||
  error instanceof RangeError

/** A position that this adapter cannot represent or follow from. */
export class PositionError extends Error {
  readonly code = 'position'
}
