import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

const idempotencyKeyForm = /^[ -~]{1,255}$/

/** @throws ServiceError invalid_request */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && idempotencyKeyForm.test(header)) return header
  throw invalidRequest({ path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' })
}
