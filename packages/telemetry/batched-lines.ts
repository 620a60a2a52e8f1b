import { errorMonitor } from 'node:events'
import { type DestinationStream, pino } from 'pino'

/** Lines are written once there are so many bytes of them, or after this many milliseconds. */
const WRITE_AT_BYTES = 64 * 1024
const WRITE_AFTER_MS = 50

/** More than is ever handed on at once: the stream begins no write by itself. */
const NEVER = 2 ** 30

/** The most bytes that a character of a JavaScript string takes in UTF-8. */
const BYTES_PER_CHARACTER = 3

/** pino's stream, where it takes bytes. */
type ByteStream = ReturnType<typeof pino.destination> & { write(bytes: Buffer): boolean }

/**
 * Writes lines to a file descriptor, many at a time and one write after the other. Each is made bytes at once: pino's
 * stream counts the bytes of all lines that it holds with each line, which costs more than to make the line. At the end
 * of the process it writes what is left.
 */
export function batchedLines(fd: number): DestinationStream {
  const options = { fd, sync: false, minLength: NEVER, maxWrite: NEVER + 1, contentMode: 'buffer' } as const
  const stream = pino.destination(options) as ByteStream
  const { write, flush, flushSync } = stream
  let bytes = Buffer.allocUnsafe(WRITE_AT_BYTES)
  let length = 0
  let isTimed = false
  let isDue = false
  let isWriting = false

  const handOn = (): void => {
    if (length === 0) return
    write.call(stream, bytes.subarray(0, length))
    bytes = Buffer.allocUnsafe(WRITE_AT_BYTES)
    length = 0
  }
  const begin = (done?: (error?: Error) => void): void => {
    isDue = false
    isWriting = true
    handOn()
    flush.call(stream, done)
  }
  const beginWhenFree = (): void => {
    isDue = true
    if (!isWriting) begin()
  }
  const onTime = (): void => {
    isTimed = false
    beginWhenFree()
  }
  stream.on(errorMonitor, () => {
    isWriting = false
  })
  stream.on('drain', () => {
    isWriting = false
    if (isDue) begin()
  })
  return Object.assign(stream, {
    write(line: string): boolean {
      const most = line.length * BYTES_PER_CHARACTER
      if (length + most > WRITE_AT_BYTES) beginWhenFree()
      if (length + most > WRITE_AT_BYTES) handOn()
      if (most > WRITE_AT_BYTES) write.call(stream, Buffer.from(line))
      else length += bytes.write(line, length)
      if (isTimed) return true
      isTimed = true
      setTimeout(onTime, WRITE_AFTER_MS).unref()
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
