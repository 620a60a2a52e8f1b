import { isatty } from 'node:tty'
import { type Logger, pino } from 'pino'
import { BatchedLines } from './batched-lines.ts'
import { errorFields, loggable } from './error-fields.ts'
import { readableLines } from './readable-lines.ts'

export type { Logger } from 'pino'

/** Names of fields that are never logged, at any depth. */
const secretFields = [
  'key',
  'apiKey',
  'api_key',
  'authorization',
  'prompt',
  'password',
  'secret',
  'url',
  'vocabulary',
  'x-api-key',
]
const isSecret: ReadonlySet<string> = new Set(secretFields)

const CENSOR = '[redacted]'
const hideSecrets = (name: string, value: unknown): unknown => (isSecret.has(name) ? CENSOR : value)

type Stringify = (value: unknown, replacer: typeof hideSecrets) => string | undefined

/** @param bounded pino's own function: it goes a few levels deep, and once around a circle */
function stringify(value: unknown, bounded: Stringify): string | undefined {
  try {
    return JSON.stringify(value, hideSecrets)
  } catch {
    return bounded(value, hideSecrets)
  }
}

/**
 * The time of a line, as pino expects it. Lines of one millisecond share the text, because formatting it is the largest
 * cost of a line.
 */
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

/** The part of a log's output stream that is used here. */
type LineStream = { write(line: string): unknown }

const STDERR = 2

/** The output of log lines: JSON for collectors, readable text for a terminal. */
function standardError(onWritable: (lost: number) => void): LineStream {
  if (!isatty(STDERR)) return new BatchedLines({ fd: STDERR, onWritable })
  const readable = readableLines()
  // The console throws no error if the terminal is gone.
  return { write: (line) => console.error(readable(line)) }
}

const fieldsOf = (error: unknown): unknown => errorFields(error)
const wordsOf = (reason: unknown): unknown => (typeof reason === 'string' ? loggable(reason) : reason)

/**
 * Structured log lines on standard error: time, level, service, message, and the fields given. Lines about a job carry
 * `jobId` and `traceId`. Keys, prompts, vocabularies, URLs and video ids are redacted, in errors and their causes too.
 */
export function createLog(service: string, level: string, to?: LineStream): Logger {
  const stream =
    to ?? standardError((lost) => log.warn({ lost }, 'lines of the log could not be written: is the disk full?'))
  const log: Logger = pino(
    {
      level,
      base: { service },
      timestamp: isoTimes(),
      formatters: { level: (label) => ({ level: label }) },
      // Redacts the line's own fields. Each of pino's paths covers one depth only, at ten times the cost of a line, so
      // `stringify` hides deeper fields.
      redact: { paths: secretFields.map((name) => `["${name}"]`), censor: CENSOR },
      // Errors may contain texts of others, which must not be logged.
      serializers: { err: fieldsOf, error: fieldsOf, reason: wordsOf },
    },
    stream,
  )
  return Object.assign(log, { [pino.symbols.stringifySym]: stringify })
}

const streamOf = (log: Logger): LineStream | undefined =>
  (log as unknown as Record<symbol, LineStream>)[pino.symbols.streamSym]

/** How many lines of the log could not be written. */
export function lostLines(log: Logger): number {
  const stream = streamOf(log)
  return stream instanceof BatchedLines ? stream.lost : 0
}

/** Passes a copy of every later line to `take`, as it is written, with the same redactions. */
export function copyLines(log: Logger, take: (line: string) => void): void {
  const stream = streamOf(log)
  if (stream === undefined) throw new Error('this log writes no lines')
  const write = stream.write.bind(stream)
  stream.write = (line) => {
    take(line)
    return write(line)
  }
}

/** The longest wait for a reader of the log, milliseconds. */
const WRITE_WITHIN_MS = 1000

/** Resolves when every line has been written or is lost. */
export async function flushLog(log: Logger): Promise<void> {
  const { promise: written, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, WRITE_WITHIN_MS)
  log.flush(() => resolve())
  await written
  clearTimeout(late)
}
