import { write, writeSync } from 'node:fs'

/** Lines are written once there are this many bytes of them, or after this many milliseconds. */
const WRITE_AT_BYTES = 64 * 1024
const WRITE_AFTER_MS = 50

/** The most bytes that wait for a slow reader. Later lines are lost. */
const MOST_WAITING_BYTES = 8 * 1_048_576

/**
 * The wait before a full pipe is tried again, milliseconds. The second value is the number of retries at the end of the
 * process, when nothing else runs.
 */
const AGAIN_AFTER_MS = 20
const MOST_TRIES_AT_END = 50

/** The most bytes that a character of a JavaScript string takes in UTF-8. */
const BYTES_PER_CHARACTER = 3

const NEWLINE = 0x0a

type LinesOptions = {
  /** A file descriptor. */
  fd: number
  /** Called when lines can be written again, with the number of lost lines since the last call. */
  onWritable(lost: number): void
}

/**
 * Writes lines to a file descriptor, many at a time and one write after another. Callers never wait for it. Lines that
 * cannot be written, such as on a full disk or for a slow reader, are lost and counted. At the end of the process it
 * writes the rest.
 */
export class BatchedLines {
  readonly #fd: number
  readonly #onWritable: (lost: number) => void
  #bytes = Buffer.allocUnsafe(WRITE_AT_BYTES)
  #length = 0
  /** Full batches, in order, and the bytes in them. */
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** The rest of the batch that is being written. */
  #rest: Buffer | undefined
  /** The pipe is full: the rest is retried soon. */
  #isPaused = false
  #isTimed = false
  #isHeard = false
  /** The last byte that was written does not end a line. */
  #isMidLine = false
  #lost = 0
  #lostTold = 0
  #flushed: (() => void)[] = []

  constructor({ fd, onWritable }: LinesOptions) {
    this.#fd = fd
    this.#onWritable = onWritable
  }

  /** How many lines have been lost. */
  get lost(): number {
    return this.#lost
  }

  /** @param line with its end */
  write(line: string): void {
    const most = line.length * BYTES_PER_CHARACTER
    if (this.#length + most > WRITE_AT_BYTES) this.#begin()
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#lost++
    else if (most > WRITE_AT_BYTES) this.#handOn(Buffer.from(line))
    else this.#length += this.#bytes.write(line, this.#length)
    this.#writeSoon()
  }

  /** Calls back when all lines until now have been written, or are lost. */
  flush(done: () => void): void {
    this.#begin()
    if (this.#rest !== undefined) this.#flushed.push(done)
    else done()
  }

  /** Writes the rest. A write that is under way continues. */
  flushSync(): void {
    this.#handOnCollected()
    if (this.#isPaused) this.#writeSync()
    const underWay = this.#rest
    while (this.#take()) this.#writeSync()
    this.#rest = underWay
  }

  #writeSoon(): void {
    if (!this.#isHeard) process.once('exit', () => this.flushSync())
    this.#isHeard = true
    if (this.#isTimed) return
    this.#isTimed = true
    setTimeout(() => {
      this.#isTimed = false
      this.#begin()
    }, WRITE_AFTER_MS).unref()
  }

  #handOnCollected(): void {
    if (this.#length === 0) return
    this.#handOn(this.#bytes.subarray(0, this.#length))
    this.#bytes = Buffer.allocUnsafe(WRITE_AT_BYTES)
    this.#length = 0
  }

  #handOn(batch: Buffer): void {
    this.#waiting.push(batch)
    this.#waitingBytes += batch.length
  }

  #begin(): void {
    this.#handOnCollected()
    if (this.#rest === undefined) this.#writeNext()
  }

  #writeNext(): void {
    if (this.#take()) {
      this.#write()
      return
    }
    const flushed = this.#flushed
    this.#flushed = []
    for (const done of flushed) done()
  }

  /** Takes up the next batch. If a line was cut off, ends that line first, so that later lines can be read. */
  #take(): boolean {
    const batch = this.#waiting.shift()
    if (batch === undefined) return false
    this.#waitingBytes -= batch.length
    this.#rest = this.#isMidLine ? Buffer.concat([Buffer.of(NEWLINE), batch]) : batch
    return true
  }

  #write(): void {
    const bytes = this.#rest
    if (bytes === undefined) return
    this.#isPaused = false
    write(this.#fd, bytes, (error, written) => {
      if (isFullPipe(error)) return this.#pause()
      if (error === null) this.#wrote(bytes, written)
      else this.#lose(bytes)
      if (this.#rest !== undefined) return this.#write()
      this.#writeNext()
      if (error === null) this.#tellLost()
    })
  }

  #pause(): void {
    this.#isPaused = true
    setTimeout(() => this.#write(), AGAIN_AFTER_MS).unref()
  }

  #writeSync(): void {
    for (let tries = 0; this.#rest !== undefined; )
      try {
        this.#wrote(this.#rest, writeSync(this.#fd, this.#rest))
      } catch (error) {
        if (isFullPipe(error) && ++tries < MOST_TRIES_AT_END) sleepSync(AGAIN_AFTER_MS)
        else this.#lose(this.#rest)
      }
  }

  #wrote(bytes: Buffer, count: number): void {
    if (count > 0) this.#isMidLine = bytes[count - 1] !== NEWLINE
    this.#rest = count < bytes.length ? bytes.subarray(count) : undefined
  }

  /** @param bytes lost bytes; if they begin with the end of a line, that line has been written */
  #lose(bytes: Buffer): void {
    this.#rest = undefined
    for (const byte of bytes.subarray(1)) if (byte === NEWLINE) this.#lost++
  }

  #tellLost(): void {
    const lost = this.#lost - this.#lostTold
    this.#lostTold = this.#lost
    if (lost > 0) this.#onWritable(lost)
  }
}

const sleepSync = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** A full pipe, if writes do not wait for its reader. */
const isFullPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EAGAIN'
