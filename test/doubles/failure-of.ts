import type { StepError } from '#packages/errors/step-error.ts'

/** What something ends with, a StepError for the most part. @throws Error where it succeeds */
export async function failureOf<E = StepError>(running: Promise<unknown>): Promise<E> {
  try {
    await running
  } catch (error) {
    return error as E
  }
  throw new Error('it should have failed')
}
