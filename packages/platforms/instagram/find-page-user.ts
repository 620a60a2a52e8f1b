/** Keys of a page's user and posts. */
export const USER = 'xig_user_by_username'
export const TIMELINE = 'polaris_ordered_timeline_connection'
const MAX_DEPTH = 60

/** The data of an Instagram profile page. */
export type PageUser = {
  /** Null if the page says that there is no such user. Undefined if the page has no such answer. */
  user: object | null | undefined
  /** The user's first posts. Undefined if the page has none. */
  timeline: object | undefined
}

/**
 * The user and posts of an Instagram profile page. The page's scripts hold several answers of the same name with
 * different fields. Takes the one with a username, else the first, so that the parser reports what is missing.
 * @param scripts the values of the page's scripts of type JSON
 */
export function findPageUser(scripts: readonly unknown[]): PageUser {
  const users = scripts.flatMap((script) => [...valuesOf(USER, script, 0)])
  const named = users.find((user) => user !== null && 'username' in user)
  const first = users.find((user) => user !== null)
  const isNobody = users.length > 0 && first === undefined
  const timelines = scripts.flatMap((script) => [...valuesOf(TIMELINE, script, 0)])
  return { user: isNobody ? null : (named ?? first), timeline: timelines.find((found) => found !== null) ?? undefined }
}

/** The objects and nulls under a key, at any depth. A user may hold its timeline. */
function* valuesOf(wanted: string, value: unknown, depth: number): Generator<object | null> {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === wanted && typeof inner === 'object') yield inner
    else yield* valuesOf(wanted, inner, depth + 1)
  }
}
