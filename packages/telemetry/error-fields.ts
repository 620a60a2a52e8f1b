/** How many causes are told in all, and how much of each text, characters. */
const MAX_CAUSES = 12
const MAX_TEXT = 2000

/** Facts about an error that its own words are not needed for. Whatever else it carries may be content. */
const facts = ['code', 'errno', 'syscall', 'status', 'statusCode', 'reason'] as const

const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i
const date = /^\d{4}-\d\d-\d\d/

/** Videos and accounts are named by such words. Our own ids are UUIDs. */
const looksLikeId = (word: string): boolean =>
  word.length >= 8 &&
  !uuid.test(word) &&
  !date.test(word) &&
  (/\d{9}/.test(word) || (/\d/.test(word) && /[a-z]/i.test(word)))

/**
 * Words of an error as they may be logged: of a URL the scheme and the host are left, and what looks like the id of a
 * video is left out. Somebody's text may stand in them, so it is looked through in one pass, and not for longer than
 * `MAX_TEXT`.
 */
export const loggable = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .replace(/(?<![a-z\d+.-])([a-z][a-z\d+.-]{1,20}:\/\/)(?:[^\s/?#"'<>@]*@)?([^\s/?#"'<>@]*)[^\s"'<>]*/gi, '$1$2/…')
    .replace(/(?<![\w./-])((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})[/?]\S*/gi, '$1/…')
    .replace(/[?&][\w-]{1,60}=[^\s&"']*/g, '?…')
    .replace(/[\w-]+/g, (word) => (looksLikeId(word) ? '(id)' : word))

const isFrame = (line: string): boolean => /^ {4}at (?!.*https?:)/.test(line)

/** The places in our own code that an error came through. */
const framesOf = (stack: string | undefined): string[] => (stack ?? '').split('\n').filter(isFrame).slice(0, 30)

const typeOf = (error: Error): string => (error.name === 'Error' ? error.constructor.name : error.name)

function factsOf(error: Error): Record<string, unknown> {
  const own = error as unknown as Record<string, unknown>
  const told: [string, unknown][] = []
  for (const name of facts) {
    const value = own[name]
    if (typeof value === 'number') told.push([name, value])
    else if (typeof value === 'string') told.push([name, loggable(value)])
  }
  return Object.fromEntries(told)
}

const causesOf = (error: Error): unknown[] => {
  const causes: unknown[] = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause]
  return causes.filter((cause) => cause !== undefined)
}

/**
 * An error as a log line holds it: its type, words, places in the code, and causes, and nothing that may be content.
 * `left`: how many causes may still be told, of all of them together.
 */
export function errorFields(error: unknown, left = { causes: MAX_CAUSES }): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? loggable(error) : typeof error
  const told: unknown[] = []
  for (const cause of causesOf(error)) if (left.causes-- > 0) told.push(errorFields(cause, left))
  return {
    type: typeOf(error),
    message: loggable(error.message),
    ...factsOf(error),
    stack: framesOf(error.stack).join('\n'),
    ...(told.length > 0 && { causes: told }),
  }
}
