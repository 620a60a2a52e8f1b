import type { AttemptResult } from '#packages/domain/webhook/delivery.ts'

/** One request to a receiver. */
export type WebhookRequest = {
  url: string
  /** Its organization. Organizations take turns if they share a receiver. */
  orgId: string
  headers: Record<string, string>
  body: string
  /** The number of the attempt, from 1 on. Later attempts may reach another address of the host. */
  attempt: number
  signal: AbortSignal
}

/** Sends one request to a receiver. Every outcome is a result. @throws the signal's reason */
export type SendWebhook = (request: WebhookRequest) => Promise<AttemptResult>
