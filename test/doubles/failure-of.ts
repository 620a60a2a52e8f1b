import type { StepError } from '#packages/foundation/errors/step-error.ts'

/** The error that `running` rejects with, usually a StepError. @throws Error if it succeeds */
export async function failureOf<E = StepError>(running: Promise<unknown>): Promise<E> {
  try {
    await running
  } catch (error) {
    return error as E
  }
  throw new Error('it should have failed')
}
