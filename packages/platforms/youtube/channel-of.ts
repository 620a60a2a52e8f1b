import type { Account } from '../platform-definition.ts'

/** The channel of an id of YouTube. */
export const channelOf = (id: string | null): Account => ({
  id,
  url: id === null ? null : `https://www.youtube.com/channel/${id}`,
})
