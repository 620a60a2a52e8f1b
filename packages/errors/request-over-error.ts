import { ServiceError } from './service-error.ts'

/** The caller has gone, or the server closes: what was asked for is not made any more. */
export class RequestOverError extends ServiceError {
  constructor() {
    super('unavailable', 'The request is over.')
  }
}
