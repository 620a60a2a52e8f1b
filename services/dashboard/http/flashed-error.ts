import { type ErrorCode, ServiceError } from '#packages/foundation/errors/service-error.ts'

/** An error as it travels in a cookie. `requestId`: the id of the request that sent the form. */
export type FlashedError = {
  code: ErrorCode
  message: string
  details: unknown
  retryAfterSeconds?: number
  requestId: string
}

export const flashedErrorOf = (
  { code, message, details, retryAfterSeconds }: ServiceError,
  { shownId: requestId }: { shownId: string },
): FlashedError => ({
  code,
  message,
  details,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  requestId,
})

export const errorOfFlash = ({ code, message, ...more }: FlashedError): ServiceError =>
  new ServiceError(code, message, more)
