import type { DiagLogger } from '@opentelemetry/api'
import type { Logger } from './log.ts'
import { api } from './otel-packages.ts'

const { DiagLogLevel, diag } = api

/** How long complaints of the SDK are counted instead of logged, milliseconds. */
const QUIET_MS = 60_000

/** The text of a complaint. The SDK may have made it the JSON of an error with its stack. */
function wordsOf(complaint: string): string {
  try {
    const { message, code, name } = JSON.parse(complaint) as Record<string, unknown>
    return (
      ([message, code, name].find((part) => typeof part === 'string' && part !== '') as string | undefined) ??
      'an error'
    )
  } catch {
    // Most are plain sentences.
    return complaint
  }
}

/**
 * Logs complaints of the SDK: the first at once, and then at most one line each minute with their number. Other details
 * are not logged.
 */
export function logComplaints(log: Logger, now: () => number = Date.now): void {
  let quietUntil = 0
  let unlogged = 0
  const complain = (complaint: string): void => {
    if (now() < quietUntil) {
      unlogged++
      return
    }
    quietUntil = now() + QUIET_MS
    const others = unlogged
    unlogged = 0
    log.warn({ reason: wordsOf(complaint), others }, 'spans, values or log lines could not be exported')
  }
  const nothing = (): void => {}
  const logger: DiagLogger = { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
