import type { EventData } from '#contracts/generated/events.ts'
import type { NamedWebhook } from '#packages/jobs/webhooks/named-webhook.ts'
import { sha256 } from '#packages/ports/ids.ts'

/** The terms of a request beside its job: not part of its hash, but of what an idempotency key stands for. */
export type Terms = {
  /** Whether an existing result may be given again. */
  reuse: boolean
  /** A webhook that is notified of the job's end, in addition to those for every job. */
  webhook: NamedWebhook | undefined
}

export const noTerms: Terms = { reuse: false, webhook: undefined }

/** @param body a TranscriptRequest or an ExtractRequest that was validated */
export const termsOf = (body: unknown, webhook?: NamedWebhook): Terms => ({
  reuse: (body as { reuse?: boolean }).reuse === true,
  webhook,
})

/** The terms as the job's stream stores them. */
type TermsOfJob = Pick<EventData['JobRequested'], 'reuse' | 'webhookId'>

export const factsOf = ({ reuse, webhook }: Terms): TermsOfJob => ({ reuse, webhookId: webhook?.id ?? null })

/** Equal for two requests that may use one idempotency key. */
export const repeatHashOf = ({ requestHash, reuse, webhookId }: TermsOfJob & { requestHash: string }): string =>
  reuse || webhookId !== null ? sha256(JSON.stringify({ requestHash, reuse, webhookId })) : requestHash
