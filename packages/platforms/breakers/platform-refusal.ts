import { failures } from '#packages/domain/job/failure.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'

/**
 * The platform refuses us whatever we request: too many requests, a forbidden address, a challenge. A video with
 * restricted access is not a refusal: the platform may well answer for the next one.
 */
export class PlatformRefusal extends StepError {
  constructor(more: ConstructorParameters<typeof StepError>[1] = {}) {
    super('platform_blocked', { ...more, transient: true })
  }
}

/** Whether the failure is an answer about the video or profile. If so, the platform accepts the exit address. */
export const isPlatformAnswer = ({ code }: StepError): boolean => failures[code].isPlatformAnswer === true
