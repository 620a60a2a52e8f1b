import { errorMonitor } from 'node:events'
import { pino } from 'pino'

/** Lines are written after this many characters, or after this many milliseconds. */
const WRITE_AT_LENGTH = 64 * 1024
const WRITE_AFTER_MS = 50

/** More than is ever handed on at once: the stream begins no write by itself. */
const NEVER = 2 ** 30

/**
 * Writes lines to a file descriptor, many at a time and one write after the other. pino's stream counts the bytes of all
 * that it holds with each line, which costs more than to make the line: so it is handed all lines of a write at once. At
 * the end of the process it writes what is left.
 */
export function batchedLines(fd: number) {
  const stream = pino.destination({ fd, sync: false, minLength: NEVER, maxWrite: NEVER + 1 })
  const { write, flush, flushSync } = stream
  let lines = ''
  let isTimed = false
  let isLate = false
  let isWriting = false

  const handOn = (): void => {
    write.call(stream, lines)
    lines = ''
  }
  const begin = (done?: (error?: Error) => void): void => {
    isLate = false
    isWriting = true
    handOn()
    flush.call(stream, done)
  }
  const onTime = (): void => {
    isTimed = false
    isLate = true
    if (!isWriting) begin()
  }
  stream.on(errorMonitor, () => {
    isWriting = false
  })
  stream.on('drain', () => {
    isWriting = false
    if (isLate || lines.length >= WRITE_AT_LENGTH) begin()
  })
  return Object.assign(stream, {
    write(line: string): boolean {
      lines += line
      if (lines.length >= WRITE_AT_LENGTH && !isWriting) begin()
      else if (!isTimed) {
        isTimed = true
        setTimeout(onTime, WRITE_AFTER_MS).unref()
      }
      return true
    },
    flush(done?: (error?: Error) => void): void {
      if (isWriting) stream.once('drain', () => this.flush(done))
      else begin(done)
    },
    flushSync(): void {
      handOn()
      flushSync.call(stream)
    },
  })
}
