import { type logCreator, logLevel } from 'kafkajs'

/** What the adapter needs of a logger. */
export type KafkaLog = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A line that comes again within this time is one of many tries: it is for debugging, milliseconds. */
const REPEATED_WITHIN_MS = 60_000

/** The most different lines that are remembered. */
const MOST_LINES = 200

/** Tells whether a line was said a short while ago. */
class SaidLines {
  readonly #saidAt = new Map<string, number>()

  isRepeated(line: string): boolean {
    const now = performance.now()
    const before = this.#saidAt.get(line)
    if (before !== undefined && now - before < REPEATED_WITHIN_MS) return true
    this.#saidAt.delete(line)
    this.#saidAt.set(line, now)
    const [oldest] = this.#saidAt.keys()
    if (this.#saidAt.size > MOST_LINES && oldest !== undefined) this.#saidAt.delete(oldest)
    return false
  }
}

/**
 * kafkajs logs normal rebalances, every refused connection and every retry at ERROR, and goes on by itself: its lines lose
 * a level, and repeats of the same line are for debugging. What an operator must know, the adapter logs at its own level.
 * After `ended` it says nothing: its connections were cut.
 */
export function logFor(log: KafkaLog, ended: AbortSignal): logCreator {
  const said = new SaidLines()
  return () =>
    ({ namespace, level, log: { message, logger: _logger, timestamp: _timestamp, stack: _stack, ...fields } }) => {
      if (ended.aborted) return
      const line = { client: namespace ? `kafkajs ${namespace}` : 'kafkajs', ...fields }
      const isQuiet = level > logLevel.WARN || said.isRepeated(`${namespace} ${message} ${fields.error ?? ''}`)
      if (isQuiet) log.debug(line, message)
      else if (level === logLevel.ERROR) log.warn(line, message)
      else log.info(line, message)
    }
}
