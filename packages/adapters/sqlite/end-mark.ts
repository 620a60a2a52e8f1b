import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** The end of an event file, as it is kept beside the file. */
export type EndMark = {
  /** The id of the file. */
  origin: string
  position: number
  /** The checksum of the event at this position. */
  checksum: number
}

/**
 * Two slots are written in turn, each in a sector of its own: the older mark remains while the newer one is written.
 */
const slots = [0, 512]
const slotBytes = 128

/** The path of the mark of an event file. */
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
 * The position that the event file of this path has reached at least; undefined where there is no mark, or none that
 * can be read, as after a power cut.
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
 * Writes the end of the event file to its mark, after each transaction and before that is answered. Never waits for the
 * disk: a write outlives its process, and after a power cut an older mark is true as well.
 */
export class EndMarks implements Disposable {
  readonly #file: number
  #turn = 0

  constructor(path: string) {
    const place = markPathOf(path)
    // Opened so that it is made where it is missing, and never truncated.
    this.#file = openSync(place, statSync(place, { throwIfNoEntry: false }) ? 'r+' : 'w+', 0o600)
  }

  write(mark: EndMark): void {
    writeSync(this.#file, encode(mark), slots[this.#turn++ % slots.length], 'latin1')
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
