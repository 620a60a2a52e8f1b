const KEY = 'xig_user_by_username'
const MAX_DEPTH = 60

/**
 * The user that an Instagram profile page was made for. The page's scripts hold several answers of the same name with
 * different fields: the one with a username is taken, else the first, so that the parser reports what is missing.
 * @param scripts the values of the page's scripts of type JSON
 * @returns null when the page says that there is no such user, undefined when it has no such answer
 */
export function findPageUser(scripts: readonly unknown[]): object | null | undefined {
  const found = scripts.flatMap((script) => [...usersIn(script, 0)])
  const named = found.find((user) => user !== null && 'username' in user)
  if (named) return named
  return found.length > 0 && found.every((user) => user === null) ? null : found.find((user) => user !== null)
}

function* usersIn(value: unknown, depth: number): Generator<object | null> {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === KEY && typeof inner === 'object') yield inner
    else yield* usersIn(inner, depth + 1)
  }
}
