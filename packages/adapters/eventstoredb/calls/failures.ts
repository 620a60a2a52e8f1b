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

const refusals: ReadonlySet<string | undefined> = new Set([
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.STREAM_DELETED,
  ErrorType.STREAM_NOT_FOUND,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.INVALID_ARGUMENT,
])

/** True for an error that the same call would get again. After any other it is unknown whether the call took effect. */
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
