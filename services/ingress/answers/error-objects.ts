import type { ErrorObject } from '#contracts/generated/http.ts'
import { isLoopback, urlAt } from '#packages/config/address.ts'
import { errorObjectOf } from '#packages/errors/error-object.ts'
import type { ServiceError } from '#packages/errors/service-error.ts'

/** Makes the Error objects of the specification. Each leads to where it is explained, where that address is known. */
export class ErrorObjects {
  #baseUrl: string | undefined

  /** @param publicUrl where callers reach the service, without a slash at its end */
  constructor(publicUrl?: string) {
    this.#baseUrl = publicUrl
  }

  /** Without a public URL, callers reach a service that listens on loopback where it listens. */
  listensOn(host: string, port: number): void {
    if (isLoopback(host)) this.#baseUrl ??= urlAt(host, port)
  }

  of(error: Pick<ServiceError, 'code' | 'message' | 'details'>): ErrorObject {
    return errorObjectOf(error, this.#baseUrl)
  }
}
