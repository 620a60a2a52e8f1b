import { closeSync, openSync, writeFileSync } from 'node:fs'

/** How many characters are collected before they are written. */
const GATHERED = 128 * 1024

/** A file with one line of JSON for each event, from which a Parquet file is made. */
export class LinesFile {
  readonly path: string
  /** Positions of the first and the last event. 0 if the file is empty. */
  first = 0
  last = 0
  events = 0
  /** Characters. */
  size = 0
  /** Characters of the longest line. */
  longest = 0
  readonly #file: number
  #gathered: string[] = []
  #waiting = 0

  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, 'w', 0o600)
  }

  add(position: number, line: string): void {
    if (this.events === 0) this.first = position
    this.last = position
    this.events++
    this.size += line.length
    this.longest = Math.max(this.longest, line.length)
    this.#gathered.push(line)
    this.#waiting += line.length
    if (this.#waiting >= GATHERED) this.#write()
  }

  #write(): void {
    // A string, not a buffer: the memory of a buffer would stay until the next garbage collection.
    writeFileSync(this.#file, this.#gathered.join(''))
    this.#gathered = []
    this.#waiting = 0
  }

  close(): void {
    this.#write()
    closeSync(this.#file)
  }
}
