import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** How far an event file had come. */
export type EndMark = {
  /** Which file. */
  origin: string
  position: number
  /** Of the event at this position. */
  checksum: number
}

/** Two marks take turns, each in a sector of its own: the older one stands while the newer one is written. */
const slots = [0, 512]
const slotBytes = 128

/** The mark beside an event file. */
export const markPathOf = (path: string): string => `${path}.end`

function encode({ origin, position, checksum }: EndMark): string {
  const text = `${origin} ${position} ${checksum}`
  return `${`${text} ${crc32(text)}`.padEnd(slotBytes - 1)}\n`
}

function decode(slot: string): EndMark | undefined {
  const [origin = '', position, checksum, check] = slot.trim().split(' ')
  if (Number(check) !== crc32(`${origin} ${position} ${checksum}`)) return undefined
  return { origin, position: Number(position), checksum: Number(checksum) }
}

/**
 * How far the event file of this path has come at least; undefined where nobody wrote it down, or where what was written
 * cannot be read: a power cut may leave that.
 */
export function readEndMark(path: string): EndMark | undefined {
  let content: string
  try {
    content = readFileSync(markPathOf(path), 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const marks = slots.flatMap((start) => decode(content.slice(start, start + slotBytes)) ?? [])
  return marks.sort((one, other) => other.position - one.position)[0]
}

/**
 * Writes down, after each transaction and before it is answered, how far the event file has come. Never waits for the
 * disk: what a process wrote outlives the process, and after a power cut an older mark is true as well.
 */
export class EndMarks implements Disposable {
  readonly #file: number
  #turn = 0

  constructor(path: string) {
    const place = markPathOf(path)
    // Made where it is missing, and never emptied.
    this.#file = openSync(place, statSync(place, { throwIfNoEntry: false }) ? 'r+' : 'w+', 0o600)
  }

  write(mark: EndMark): void {
    writeSync(this.#file, encode(mark), slots[this.#turn++ % slots.length], 'latin1')
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** Puts one mark in place of all. */
export function replaceEndMark(path: string, mark: EndMark): void {
  using marks = new EndMarks(path)
  for (const _ of slots) marks.write(mark)
}
