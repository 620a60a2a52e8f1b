import type { Unanswered } from '#packages/foundation/readiness/unanswered.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { SendWebhook } from './send-webhook.ts'

type Watching = {
  telemetry: Telemetry
  /** Records the answers of all receivers together. */
  health: Unanswered
  /** How receivers are reached. */
  via: 'direct' | 'proxy'
}

/** Makes each request to a receiver a span, and records whether receivers answer at all. */
export const watchedSender =
  (send: SendWebhook, { telemetry, health, via }: Watching): SendWebhook =>
  (request) => {
    const attributes = {
      [names.httpMethod]: 'POST',
      [names.serverAddress]: URL.parse(request.url)?.hostname,
      [names.egressRoute]: via,
    }
    return telemetry.inSpan({ name: 'POST', kind: 'client', attributes }, async (set) => {
      const result = await send(request)
      const { status, failure } = result
      set({
        [names.httpStatus]: status ?? undefined,
        [names.errorType]: failure ?? (status !== null && status >= 400 ? String(status) : undefined),
      })
      if (failure === null) health.answered()
      // At a refused address no receiver was contacted.
      else if (failure !== 'refused_address') health.failed(failure)
      return result
    })
  }
