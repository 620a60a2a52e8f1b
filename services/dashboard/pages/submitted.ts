import { serviceErrorOf } from '#packages/errors/service-error-of.ts'
import { type Problems, problemsOf } from '../look/parts.tsx'

/** Why a form was not taken: shown on the form again, with the status of the answer. */
export type Refusal = { problems: Problems; status: number; reason: string | undefined }

/**
 * Does what a form asks for. What the visitor can mend, or try again, is told on the form.
 * @throws what is our own fault, which becomes a page of its own
 */
export async function submitted<T>(
  work: () => Promise<T>,
): Promise<{ done: T; refusal?: undefined } | { done?: undefined; refusal: Refusal }> {
  try {
    return { done: await work() }
  } catch (error) {
    const told = serviceErrorOf(error)
    if (told.code === 'internal_error') throw error
    const { reason } = (told.details ?? {}) as { reason?: string }
    // A 401 would have to name a scheme of HTTP by which one signs in, and there is none.
    return { refusal: { problems: problemsOf(told), status: told.status === 401 ? 400 : told.status, reason } }
  }
}
