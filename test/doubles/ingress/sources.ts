import type { IngressResources } from '#services/ingress/ingress.ts'

type Sources = IngressResources['platforms']

const unread = () => Promise.reject(new Error('this test reads nothing from the outside'))

/** The sources of the ingress, which give these answers and refuse all other requests. */
export const sourcesOf = (answers: Partial<Sources> = {}): Sources => ({
  metadata: unread,
  summary: answers.metadata ?? unread,
  search: unread,
  lists: unread,
  searchable: ['youtube'],
  profiles: { tiktok: unread, instagram: unread },
  standing: () => ({ blocked: [], restingAccounts: [] }),
  forget: async () => {},
  ...answers,
})
