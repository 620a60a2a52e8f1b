import type { ErrorObject } from '#contracts/generated/http.ts'
import type { ServiceError } from './service-error.ts'

type ErrorFacts = Pick<ServiceError, 'code' | 'message' | 'details'>

/**
 * The Error object of the specification.
 * @param baseUrl where callers reach the service, without a final slash; undefined: unknown
 */
export function errorObjectOf({ code, message, details: given }: ErrorFacts, baseUrl: string | undefined): ErrorObject {
  const details = given as ErrorObject['details']
  const anchor = (Array.isArray(details) ? details[0] : details)?.code ?? code
  const documentationUrl = baseUrl === undefined ? null : `${baseUrl}/docs/errors#${anchor}`
  return { error: code, message, details, documentationUrl }
}
