import type { EventData } from '#contracts/generated/events.ts'
import { sha256 } from '#packages/ports/ids.ts'

/**
 * What a request asks for beside its job. It is no part of the hash of the request, and part of what an idempotency key
 * stands for.
 */
export type Terms = Pick<EventData['JobRequested'], 'reuse' | 'webhookId'>

export const noTerms: Terms = { reuse: false, webhookId: null }

/** @param body a TranscriptRequest or an ExtractRequest that was validated */
export const termsOf = (body: unknown): Terms => ({
  ...noTerms,
  reuse: (body as { reuse?: boolean }).reuse === true,
})

/** Equal for two requests that may stand under one idempotency key. */
export const repeatHashOf = ({ requestHash, reuse, webhookId }: Terms & { requestHash: string }): string =>
  reuse || webhookId !== null ? sha256(JSON.stringify({ requestHash, reuse, webhookId })) : requestHash
