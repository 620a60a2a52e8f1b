import { StepError } from '#packages/errors/step-error.ts'

/**
 * The platform refuses us, whatever we ask for: too many requests, a forbidden address, a challenge. A video that only
 * some may see is no refusal: it says nothing about the next one.
 */
export class PlatformRefusal extends StepError {
  constructor(more: ConstructorParameters<typeof StepError>[1] = {}) {
    super('platform_blocked', { ...more, transient: true })
  }
}
