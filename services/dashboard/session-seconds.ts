/** How long a browser keeps the cookie of a session. The store ends sessions earlier (packages/accounts/sessions.ts). */
export const SESSION_SECONDS = 30 * 24 * 60 * 60
