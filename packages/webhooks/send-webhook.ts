import type { AttemptResult } from '#packages/domain/webhook/delivery.ts'

/** One request to a receiver. */
export type WebhookRequest = {
  url: string
  /** Whose it is: organizations take turns where they have one receiver. */
  orgId: string
  headers: Record<string, string>
  body: string
  /** From 1 on: later attempts may reach another address of the host. */
  attempt: number
  signal: AbortSignal
}

/**
 * Asks a receiver once. Whatever it does is a result.
 * @throws the signal's reason
 */
export type SendWebhook = (request: WebhookRequest) => Promise<AttemptResult>
