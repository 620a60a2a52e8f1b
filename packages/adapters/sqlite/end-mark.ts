import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** The end of an event file, as recorded beside the file. */
export type EndMark = {
  /** The id of the file. */
  origin: string
  position: number
  /** The checksum of the event at this position. */
  checksum: number
}

/** Two slots are written in turn, each in its own sector. So the older mark remains while the newer one is written. */
const slots = [0, 512]
const slotBytes = 128
/** The slot for the length to which the file may have shrunk. */
const lengthSlot = 1024

/** The path of the mark of an event file. */
export const markPathOf = (path: string): string => `${path}.end`

const slotOf = (text: string): string => `${`${text} ${crc32(text)}`.padEnd(slotBytes - 1)}\n`

const encode = ({ origin, position, checksum }: EndMark): string => slotOf(`${origin} ${position} ${checksum}`)

function decode(slot: string): EndMark | undefined {
  const [origin = '', position, checksum, check] = slot.trim().split(' ')
  if (Number(check) !== crc32(`${origin} ${position} ${checksum}`)) return undefined
  return { origin, position: Number(position), checksum: Number(checksum) }
}

/**
 * The position that the event file at this path has reached at least. Undefined if there is no readable mark, such as
 * after a power cut.
 */
export function readEndMark(path: string): EndMark | undefined {
  const content = contentOf(path)
  const marks = slots.flatMap((start) => decode(content.slice(start, start + slotBytes)) ?? [])
  return marks.sort((one, other) => other.position - one.position)[0]
}

/**
 * The length in bytes to which the event file at this path was shrunk; it may have grown since. Undefined if it was
 * never shrunk.
 */
export function readShortest(path: string): number | undefined {
  const [bytes, check] = contentOf(path)
    .slice(lengthSlot, lengthSlot + slotBytes)
    .trim()
    .split(' ')
  return bytes !== undefined && Number(check) === crc32(bytes) ? Number(bytes) : undefined
}

function contentOf(path: string): string {
  try {
    return readFileSync(markPathOf(path), 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/**
 * Writes the end of the event file to its mark, after each transaction and before the answer. It never waits for the
 * disk: a write outlives its process, and after a power cut an older mark is still true.
 */
export class EndMarks implements Disposable {
  readonly #file: number
  #turn = 0

  constructor(path: string) {
    const place = markPathOf(path)
    // The flags create the file if it is missing, and never truncate it.
    this.#file = openSync(place, statSync(place, { throwIfNoEntry: false }) ? 'r+' : 'w+', 0o600)
  }

  write(mark: EndMark): void {
    writeSync(this.#file, encode(mark), slots[this.#turn++ % slots.length], 'latin1')
  }

  /**
   * Called before the file is shrunk to this many bytes: otherwise a guard in any process would take that for damage.
   */
  noteShortest(bytes: number): void {
    writeSync(this.#file, slotOf(`${bytes}`), lengthSlot, 'latin1')
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** Replaces all marks by one. */
export function replaceEndMark(path: string, mark: EndMark): void {
  using marks = new EndMarks(path)
  for (const _ of slots) marks.write(mark)
}
