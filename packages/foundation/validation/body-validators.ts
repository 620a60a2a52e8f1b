import type { ValidateFunction } from 'ajv'
import type {
  ExtractRequest,
  NewBatchRequest,
  NewKeyRequest,
  NewWatchRequest,
  NewWebhookRequest,
  ReplayRequest,
  TranscriptRequest,
  WatchChanges,
  WebhookChanges,
} from '#contracts/generated/http.ts'
import validators from '#contracts/generated/http-validators.cjs'

/** The compiled schemas of the bodies that callers send, with their types. */
export const isTranscriptRequest = validators.TranscriptRequest as unknown as ValidateFunction<TranscriptRequest>
export const isExtractRequest = validators.ExtractRequest as unknown as ValidateFunction<ExtractRequest>
export const isNewKeyRequest = validators.NewKeyRequest as unknown as ValidateFunction<NewKeyRequest>
export const isNewWebhookRequest = validators.NewWebhookRequest as unknown as ValidateFunction<NewWebhookRequest>
export const isWebhookChanges = validators.WebhookChanges as unknown as ValidateFunction<WebhookChanges>
export const isReplayRequest = validators.ReplayRequest as unknown as ValidateFunction<ReplayRequest>
export const isNewBatchRequest = validators.NewBatchRequest as unknown as ValidateFunction<NewBatchRequest>
export const isNewWatchRequest = validators.NewWatchRequest as unknown as ValidateFunction<NewWatchRequest>
export const isWatchChanges = validators.WatchChanges as unknown as ValidateFunction<WatchChanges>
