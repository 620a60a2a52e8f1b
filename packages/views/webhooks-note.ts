/** Where the sender of webhooks goes on after a restart: everything up to here is requested. */
export type WebhooksNote = { checkpoint: number }

/** The id of the note. */
export const WEBHOOKS_NOTE = 'webhooks'
