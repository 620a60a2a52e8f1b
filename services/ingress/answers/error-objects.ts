import type { ErrorObject } from '#contracts/generated/http.ts'
import { isLoopback, urlAt } from '#packages/foundation/config/address.ts'
import { errorObjectOf } from '#packages/foundation/errors/error-object.ts'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'

/** Refusals that a larger plan would lift. */
const ofPlan: ReadonlySet<unknown> = new Set(['insufficient_credits', 'plan'])

/**
 * Makes the Error objects of the specification. Each links to its explanation. Refusals that a larger plan would lift
 * also link to the plans. A link is left out if its address is not known.
 */
export class ErrorObjects {
  #baseUrl: string | undefined
  readonly #plansPath: string | undefined

  /**
   * @param publicUrl where callers reach the service, without a slash at its end
   * @param plansPath path of the page of plans; undefined: there is none
   */
  constructor(publicUrl?: string, plansPath?: string) {
    this.#baseUrl = publicUrl
    this.#plansPath = plansPath
  }

  /**
   * Call it with the address at which the service listens. Without a public URL, callers of a service on loopback reach
   * it there.
   */
  listensOn(host: string, port: number): void {
    if (isLoopback(host)) this.#baseUrl ??= urlAt(host, port)
  }

  of({ code, message, details }: Pick<ServiceError, 'code' | 'message' | 'details'>): ErrorObject {
    return errorObjectOf({ code, message, details: this.#withPlans(details) }, this.#baseUrl)
  }

  #withPlans(details: unknown): unknown {
    const { reason } = (details ?? {}) as { reason?: unknown }
    if (this.#baseUrl === undefined || this.#plansPath === undefined || !ofPlan.has(reason)) return details
    return { ...(details as object), plansUrl: this.#baseUrl + this.#plansPath }
  }
}
