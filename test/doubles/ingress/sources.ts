import type { Sources } from '#services/ingress/routes/sources.ts'

const unread = () => Promise.reject(new Error('this test reads nothing from the outside'))

/** What the ingress asks of the outside: the given answers, and nothing else. */
export const sourcesOf = (answers: Partial<Sources> = {}): Sources => ({
  metadata: unread,
  search: unread,
  profiles: { tiktok: unread, instagram: unread },
  standing: () => ({ blocked: [], restingAccounts: [] }),
  ...answers,
})
