import type { ServiceError } from '#packages/foundation/errors/service-error.ts'

/** An error in words for people. */
export type ErrorWords = { status: number; title: string; message: string; retryAfterSeconds: number | undefined }

const titles: Partial<Record<ServiceError['code'], string>> = {
  not_found: 'Not found',
  forbidden: 'Not allowed',
  rate_limited: 'Too many requests',
  unavailable: 'Not available right now',
  job_not_ended: 'The job has not ended',
  payload_too_large: 'Too large',
}

/** Details of internal errors go to the log only. */
export function errorWords(error: ServiceError): ErrorWords {
  if (error.code === 'internal_error')
    return {
      status: 500,
      title: 'Something went wrong',
      message: 'This is our fault and has been logged. Please try again in a moment.',
      retryAfterSeconds: undefined,
    }
  const { status, message, retryAfterSeconds } = error
  return { status, title: titles[error.code] ?? 'Something went wrong', message, retryAfterSeconds }
}
