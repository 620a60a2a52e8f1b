import type { EventData } from '#contracts/generated/events.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { NamedWebhook } from '#packages/webhooks/named-webhook.ts'

/**
 * What a request asks for beside its job. It is no part of the hash of the request, and part of what an idempotency key
 * stands for.
 */
export type Terms = {
  /** Whether a result that is there may be given again. */
  reuse: boolean
  /** That is told of the job's end besides those that are told of every one. */
  webhook: NamedWebhook | undefined
}

export const noTerms: Terms = { reuse: false, webhook: undefined }

/** @param body a TranscriptRequest or an ExtractRequest that was validated */
export const termsOf = (body: unknown, webhook?: NamedWebhook): Terms => ({
  reuse: (body as { reuse?: boolean }).reuse === true,
  webhook,
})

/** The terms as the job's stream has them. */
type TermsOfJob = Pick<EventData['JobRequested'], 'reuse' | 'webhookId'>

export const factsOf = ({ reuse, webhook }: Terms): TermsOfJob => ({ reuse, webhookId: webhook?.id ?? null })

/** Equal for two requests that may stand under one idempotency key. */
export const repeatHashOf = ({ requestHash, reuse, webhookId }: TermsOfJob & { requestHash: string }): string =>
  reuse || webhookId !== null ? sha256(JSON.stringify({ requestHash, reuse, webhookId })) : requestHash
