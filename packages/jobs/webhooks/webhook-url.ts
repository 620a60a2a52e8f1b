import { hostOf, refusalOf } from '#packages/egress/refusal.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

const MAX_LENGTH = 2048

export type WebhookUrlRules = {
  /** Whether http is accepted in addition to https. */
  isHttpAllowed: boolean
  /** The field of the request, for its error. */
  field: string
}

/** @returns the URL in canonical spelling, and its host @throws ServiceError invalid_request */
export function webhookUrlOf(text: string, { isHttpAllowed, field }: WebhookUrlRules): { url: string; host: string } {
  const url = text.length > MAX_LENGTH ? null : URL.parse(text)
  if (url === null) throw invalidRequest({ path: field, message: `must be a URL of at most ${MAX_LENGTH} characters` })
  const refusal = url.protocol === 'http:' && !isHttpAllowed ? 'must begin with https://' : refusalOf(url)
  if (refusal !== undefined) throw invalidRequest({ path: field, message: refusal })
  url.hash = ''
  return { url: url.href, host: hostOf(url) }
}
