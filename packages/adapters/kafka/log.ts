import { type logCreator, logLevel } from 'kafkajs'
import { LRUCache } from 'lru-cache'

/** The methods of a logger that the adapter uses. */
export type KafkaLog = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A line that is repeated within this time is logged at the level debug, milliseconds. */
const REPEATED_WITHIN_MS = 60_000

/** How many lines to remember. */
const MOST_LINES = 200

/**
 * kafkajs logs normal rebalances, refused connections and retries at ERROR, and then recovers. So its lines are lowered
 * by a level, and repeats to debug. The adapter itself logs what an operator has to know. After `ended` nothing is
 * logged, because the connections were cut on purpose.
 */
export function logFor(log: KafkaLog, ended: AbortSignal): logCreator {
  const said = new LRUCache<string, true>({ max: MOST_LINES, ttl: REPEATED_WITHIN_MS })
  return () =>
    ({ namespace, level, log: { message, logger: _logger, timestamp: _timestamp, stack: _stack, ...fields } }) => {
      if (ended.aborted) return
      const line = { client: namespace ? `kafkajs ${namespace}` : 'kafkajs', ...fields }
      const text = `${namespace} ${message} ${fields.error ?? ''}`
      const isQuiet = level > logLevel.WARN || said.has(text)
      if (!isQuiet) said.set(text, true)
      if (isQuiet) log.debug(line, message)
      else if (level === logLevel.ERROR) log.warn(line, message)
      else log.info(line, message)
    }
}
