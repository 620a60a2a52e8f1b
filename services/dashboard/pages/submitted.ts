import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { serviceErrorOf } from '#packages/foundation/errors/service-error-of.ts'
import { type Problems, problemsOf } from '../look/parts.tsx'
import type { Flash } from '../route.ts'

/** Why a form was refused, to show on the form, with its status. */
type Refusal = NonNullable<Flash['refusal']>

/** The flash of a refused form. @param typed what stays in its fields; never a password */
export const refusedWith = (refusal: Refusal, typed: Readonly<Record<string, string>>): Flash => ({
  refusal,
  typed: Object.entries(typed),
})

/** Reads that flash for the page that shows the form again: its problems, and what was typed. */
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
 * Carries out a form. Errors that the visitor can correct or retry are shown on the form.
 * @throws errors that are our own fault, which become an error page
 */
export async function submitted<T>(
  work: () => Promise<T>,
): Promise<
  { done: T; refusal?: undefined; error?: undefined } | { done?: undefined; refusal: Refusal; error: ServiceError }
> {
  try {
    return { done: await work() }
  } catch (error) {
    const known = serviceErrorOf(error)
    if (known.code === 'internal_error') throw error
    return { refusal: refusalOf(known), error: known }
  }
}

/** Why a form was refused. */
export const refusalOf = (error: ServiceError): Refusal => ({
  problems: problemsOf(error),
  // A 401 would have to name an HTTP authentication scheme, and there is none.
  status: error.status === 401 ? 400 : error.status,
})
