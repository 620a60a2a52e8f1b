import { pino } from 'pino'
import type { Logger } from '#packages/telemetry/log.ts'

/** A log whose lines can be read back. */
export function keptLog(): { log: Logger; lines: string[] } {
  const lines: string[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(line) }) }
}
