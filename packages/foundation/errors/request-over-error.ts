import { ServiceError } from './service-error.ts'

/** The caller has left, or the server closes: the result is no longer made. */
export class RequestOverError extends ServiceError {
  constructor() {
    super('unavailable', 'The request is over.')
  }
}
