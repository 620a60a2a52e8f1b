import type { ServiceError } from '#packages/errors/service-error.ts'

/** An error as a person is told it. */
export type ErrorWords = { status: number; title: string; message: string; retryAfterSeconds: number | undefined }

const titles: Partial<Record<ServiceError['code'], string>> = {
  not_found: 'There is nothing here',
  forbidden: 'That is not allowed',
  rate_limited: 'Too many requests',
  unavailable: 'That cannot be done right now',
  job_not_ended: 'The job has not ended',
  payload_too_large: 'That is too much at once',
}

/** What went wrong inside is told to the log only. */
export function errorWords(error: ServiceError): ErrorWords {
  if (error.code === 'internal_error')
    return {
      status: 500,
      title: 'Something went wrong',
      message: 'It is our fault, and it is in our log. Please try again in a moment.',
      retryAfterSeconds: undefined,
    }
  const { status, message, retryAfterSeconds } = error
  return { status, title: titles[error.code] ?? 'That did not work', message, retryAfterSeconds }
}
