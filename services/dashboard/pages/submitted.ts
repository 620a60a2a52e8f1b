import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { serviceErrorOf } from '#packages/foundation/errors/service-error-of.ts'
import { type Problems, problemsOf } from '../look/parts.tsx'
import type { Flash } from '../route.ts'

/** Why a form was not taken: shown on the form again, with its status. */
type Refusal = NonNullable<Flash['refusal']>

/** What the page of a form shows that was not taken. @param typed what stays in its fields; never a password */
export const refusedWith = (refusal: Refusal, typed: Readonly<Record<string, string>>): Flash => ({
  refusal,
  typed: Object.entries(typed),
})

/** The same for the page that shows the form again: what is wrong with it, and what was typed. */
export function refusedIn({ refusal, typed = [], isCut }: Flash): {
  status: number
  problems: Problems
  typed: URLSearchParams
} {
  const { status = 200, problems = {} } = refusal ?? {}
  const cut = isCut ? { '': [problems[''], 'What was typed is too long to be shown again.'].join(' ').trim() } : {}
  return { status, problems: { ...problems, ...cut }, typed: new URLSearchParams(typed.map((field) => [...field])) }
}

/**
 * Does what a form asks for. What the visitor can mend, or try again, is told on the form.
 * @throws what is our own fault, which becomes a page of its own
 */
export async function submitted<T>(
  work: () => Promise<T>,
): Promise<
  { done: T; refusal?: undefined; error?: undefined } | { done?: undefined; refusal: Refusal; error: ServiceError }
> {
  try {
    return { done: await work() }
  } catch (error) {
    const told = serviceErrorOf(error)
    if (told.code === 'internal_error') throw error
    return { refusal: refusalOf(told), error: told }
  }
}

/** Why a form was not taken. */
export const refusalOf = (error: ServiceError): Refusal => ({
  problems: problemsOf(error),
  // A 401 would have to name a scheme of HTTP by which one signs in, and there is none.
  status: error.status === 401 ? 400 : error.status,
})
