/**
 * The place at which the rest of a list begins: the token of a platform's page, and how many of its items to skip. Null
 * token: the first page.
 */
export type Place = { token: string | null; skip: number }

/** A page as the platform gives it. `next`: the token of the following page, or null. */
export type SourcePage<T> = { items: readonly T[]; next: string | null }

/** A part of a list, and the place at which the rest begins. Null if there is no more. */
export type Taken<T> = { items: T[]; next: Place | null }

export const beginning: Place = { token: null, skip: 0 }

/**
 * Reads pages of a list from a place on, until there are `limit` items or the page limit is reached.
 * @param read one page of the platform
 */
export async function takeItems<T>(
  read: (token: string | null) => Promise<SourcePage<T>>,
  { from, limit, pages }: { from: Place; limit: number; pages: number },
): Promise<Taken<T>> {
  const { items, next } = await read(from.token)
  const taken = items.slice(from.skip, from.skip + limit)
  const skip = from.skip + taken.length
  if (skip < items.length) return { items: taken, next: { token: from.token, skip } }
  // a token that leads back to the same page means that there is no more
  if (next === null || next === from.token) return { items: taken, next: null }
  const place = { token: next, skip: 0 }
  if (taken.length === limit || pages <= 1) return { items: taken, next: place }
  const rest = await takeItems(read, { from: place, limit: limit - taken.length, pages: pages - 1 })
  return { items: [...taken, ...rest.items], next: rest.next }
}
