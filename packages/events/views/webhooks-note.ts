/**
 * The position from which the sender of webhooks resumes after a restart. It has requested the deliveries for all
 * events up to there.
 */
export type WebhooksNote = { checkpoint: number }

/** The id of the note. */
export const WEBHOOKS_NOTE = 'webhooks'
