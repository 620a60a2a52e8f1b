/** Where the sender of webhooks resumes after a restart: deliveries for all events up to here are requested. */
export type WebhooksNote = { checkpoint: number }

/** The id of the note. */
export const WEBHOOKS_NOTE = 'webhooks'
