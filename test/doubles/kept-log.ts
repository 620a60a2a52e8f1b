import { pino } from 'pino'
import type { Logger } from '#packages/telemetry/log.ts'

/** A log that keeps its lines, so that a test can read them. */
export function keptLog(): { log: Logger; lines: string[] } {
  const lines: string[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(line) }) }
}
