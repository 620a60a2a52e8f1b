/** The most causes in a log line, and the most characters of each text. */
const MAX_CAUSES = 12
const MAX_TEXT = 2000

/** The fields of an error that are logged in addition to its message. Other fields may contain content. */
const facts = ['code', 'errno', 'syscall', 'status', 'statusCode', 'reason'] as const

const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i
const date = /^\d{4}-\d\d-\d\d/

/** Whether a word looks like the id of a video or an account. Our own ids are UUIDs. */
const looksLikeId = (word: string): boolean =>
  word.length >= 8 &&
  !uuid.test(word) &&
  !date.test(word) &&
  (/\d{9}/.test(word) || (/\d/.test(word) && /[a-z]/i.test(word)))

/**
 * The text of an error as it may be logged. URLs are reduced to scheme and host, and words that look like the id of a
 * video are replaced. The text may be untrusted, so only its first `MAX_TEXT` characters are used, in linear time.
 */
export const loggable = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .replace(/(?<![a-z\d+.-])([a-z][a-z\d+.-]{1,20}:\/\/)(?:[^\s/?#"'<>@]*@)?([^\s/?#"'<>@]*)[^\s"'<>]*/gi, '$1$2/…')
    .replace(/(?<![\w./-])((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})[/?]\S*/gi, '$1/…')
    .replace(/[?&][\w-]{1,60}=[^\s&"']*/g, '?…')
    .replace(/[\w-]+/g, (word) => (looksLikeId(word) ? '(id)' : word))

const isFrame = (line: string): boolean => /^ {4}at (?!.*https?:)/.test(line)

/** The stack frames of an error. */
const framesOf = (stack: string | undefined): string[] => (stack ?? '').split('\n').filter(isFrame).slice(0, 30)

const typeOf = (error: Error): string => (error.name === 'Error' ? error.constructor.name : error.name)

function factsOf(error: Error): Record<string, unknown> {
  const own = error as unknown as Record<string, unknown>
  const shown: [string, unknown][] = []
  for (const name of facts) {
    const value = own[name]
    if (typeof value === 'number') shown.push([name, value])
    else if (typeof value === 'string') shown.push([name, loggable(value)])
  }
  return Object.fromEntries(shown)
}

const causesOf = (error: Error): unknown[] => {
  const causes: unknown[] = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause]
  return causes.filter((cause) => cause !== undefined)
}

/**
 * The fields of an error in a log line: type, message, stack and causes, without anything that may be content.
 * @param left how many causes may still be logged in all
 */
export function errorFields(error: unknown, left = { causes: MAX_CAUSES }): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? loggable(error) : typeof error
  const shown: unknown[] = []
  for (const cause of causesOf(error)) if (left.causes-- > 0) shown.push(errorFields(cause, left))
  return {
    type: typeOf(error),
    message: loggable(error.message),
    ...factsOf(error),
    stack: framesOf(error.stack).join('\n'),
    ...(shown.length > 0 && { causes: shown }),
  }
}
