import { type logCreator, logLevel } from 'kafkajs'

/** What the adapter needs of a logger. */
export type KafkaLog = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * kafkajs logs normal rebalances and every refused connection at ERROR, and goes on by itself: its lines lose a level.
 * What an operator must know, the adapter logs at its own level. After `ended` it says nothing: its connections were cut.
 */
export const logFor =
  (log: KafkaLog, ended: AbortSignal): logCreator =>
  () =>
  ({ namespace, level, log: { message, logger: _logger, timestamp: _timestamp, stack: _stack, ...fields } }) => {
    if (ended.aborted) return
    const line = { client: namespace ? `kafkajs ${namespace}` : 'kafkajs', ...fields }
    if (level === logLevel.ERROR) log.warn(line, message)
    else if (level === logLevel.WARN) log.info(line, message)
    else log.debug(line, message)
  }
