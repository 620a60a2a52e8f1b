import type { NewWebhookRequest, WebhookChanges } from '#contracts/generated/http.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import {
  isNewWebhookRequest,
  isReplayRequest,
  isWebhookChanges,
} from '#packages/foundation/validation/body-validators.ts'
import { instantOf } from '#packages/foundation/validation/instant.ts'
import { validated } from '#packages/foundation/validation/validated.ts'

/** The webhook that a NewWebhookRequest of the contracts requests. @throws ServiceError invalid_request */
export function webhookRequestOf(body: unknown): NewWebhookRequest & { results: boolean } {
  const { results = false, ...asked } = validated(isNewWebhookRequest, body)
  return { ...asked, results }
}

/** The changes that a WebhookChanges of the contracts requests. @throws ServiceError invalid_request */
export const webhookChangesOf = (body: unknown): WebhookChanges => validated(isWebhookChanges, body)

/**
 * The instant that a ReplayRequest of the contracts replays messages from, milliseconds since 1970.
 * @throws ServiceError invalid_request
 */
export function replayStartOf(body: unknown, now: number): number {
  const { from } = validated(isReplayRequest, body)
  const start = instantOf(from)
  if (start === undefined)
    throw invalidRequest({ path: 'from', message: 'must be a time such as 2026-11-21T18:00:00Z' })
  if (start > now) throw invalidRequest({ path: 'from', message: 'must be in the past' })
  return start
}
