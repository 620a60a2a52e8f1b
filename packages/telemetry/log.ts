import { type Logger, pino } from 'pino'
import { errorFields, loggable } from './error-fields.ts'

export type { Logger } from 'pino'

/** Names of fields that never reach a log line, wherever in an object they stand. */
const secretFields = ['key', 'apiKey', 'api_key', 'authorization', 'prompt', 'password', 'secret', 'url', 'x-api-key']

/** Lines wait for others, so that many are written at once: until there is so much of them, or so many milliseconds. */
const WRITE_AT_BYTES = 12 * 1024
const WRITE_AFTER_MS = 50

/** The time of a line, as pino wants it. Lines of one millisecond share it: under load it is what a line costs most. */
function isoTimes(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`
    at = now
    return text
  }
}

const fieldsOf = (error: unknown): unknown => errorFields(error)
const wordsOf = (reason: unknown): unknown => (typeof reason === 'string' ? loggable(reason) : reason)

/** The same log for lines whose fields cannot hold a secret: looking for one costs more than the rest of a line. */
export const plainly = (log: Logger): Logger => log.child({}, { redact: [] })

/**
 * Structured log lines (JSON) on standard error: time, level, service, message, and the fields given. Lines about a
 * job carry `jobId` and `traceId`. Keys, prompts, URLs and ids of videos are redacted, in errors and their causes too.
 */
export function createLog(service: string, level: string): Logger {
  const paths = secretFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`])
  return pino(
    {
      level,
      base: { service },
      timestamp: isoTimes(),
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
      // Words of others, of which nothing is to stand in a log.
      serializers: { err: fieldsOf, error: fieldsOf, reason: wordsOf },
    },
    pino.destination({ fd: 2, sync: false, minLength: WRITE_AT_BYTES, periodicFlush: WRITE_AFTER_MS }),
  )
}

/** The longest a reader of the log is waited for, milliseconds. */
const WRITE_WITHIN_MS = 1000

/**
 * Resolves when every line has been written, or cannot be. To be called last: lines still waiting when the process exits
 * are written in a way that never ends where nobody reads them any more (sonic-boom tries a broken pipe again for ever).
 */
export async function flushLog(log: Logger): Promise<void> {
  const { promise: written, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, WRITE_WITHIN_MS)
  log.flush(() => resolve())
  await written
  clearTimeout(late)
}
