import { StepError } from '#packages/foundation/errors/step-error.ts'

/** The platform no longer knows the token of a page. */
export class StaleTokenError extends StepError {
  constructor() {
    super('upstream_error', { message: 'The platform no longer knows this page of the list.' })
  }
}
