import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Names of fields that never reach a log line, wherever in an object they stand. */
const secretFields = ['key', 'apiKey', 'api_key', 'authorization', 'prompt', 'password', 'secret', 'url', 'x-api-key']

/**
 * Structured log lines (JSON) on standard error: time, level, service, message, and the fields given. Lines about a
 * job carry `jobId` and `traceId`. Keys, prompts and URLs are redacted.
 */
export function createLog(service: string, level: string): Logger {
  const paths = secretFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`])
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
    },
    pino.destination({ fd: 2, sync: false }),
  )
}
