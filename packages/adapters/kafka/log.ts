import { type logCreator, logLevel } from 'kafkajs'

/** The methods of a logger that the adapter uses. */
export type KafkaLog = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A line that is repeated within this time is logged at the level debug, milliseconds. */
const REPEATED_WITHIN_MS = 60_000

/** The most lines whose last time is remembered. */
const MOST_LINES = 200

/** Tells whether a line was logged a short while ago. */
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
 * kafkajs logs normal rebalances, every refused connection and every retry at ERROR, and goes on by itself. So its
 * lines are lowered by a level, and repeats to debug. The adapter itself logs what an operator has to know. After
 * `ended` nothing is logged: the connections were cut on purpose.
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
