/**
 * Reads a file of SQLite by walking its trees from their roots, without its pointer maps: what no walk comes to is unused.
 * Not as the wipe does it, so that a mistake there is found.
 */
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** What a page was found to be. */
export type Found = 'first' | 'cells' | 'overflow' | 'free' | 'map or lock'

export class WalkedFile {
  readonly bytes: Buffer
  readonly kinds: Found[]
  readonly #live: Uint8Array
  readonly #pageSize: number

  /** The log of the file must be empty. */
  constructor(path: string) {
    this.bytes = readFileSync(path)
    const given = this.bytes.readUInt16BE(16)
    this.#pageSize = given === 1 ? 65_536 : given
    this.#live = new Uint8Array(this.bytes.length)
    this.kinds = Array.from({ length: this.bytes.length / this.#pageSize }, () => 'map or lock')
    this.#mark(0, 100)
    this.#tree(1)
    using database = new DatabaseSync(path, { readOnly: true })
    for (const { rootpage } of database.prepare('SELECT rootpage FROM sqlite_master WHERE rootpage > 0').all())
      this.#tree(Number(rootpage))
    for (let trunk = this.bytes.readUInt32BE(32); trunk > 0; ) trunk = this.#trunk(trunk)
  }

  /** Bytes that are not zero and that nothing refers to, by the kind of their page. Maps are not looked at. */
  remains(): Record<string, number> {
    const found: Record<string, number> = {}
    this.kinds.forEach((kind, index) => {
      if (kind === 'map or lock' || kind === 'first') return
      for (let at = index * this.#pageSize; at < (index + 1) * this.#pageSize; at++)
        if (this.bytes[at] !== 0 && this.#live[at] === 0) found[kind] = (found[kind] ?? 0) + 1
    })
    return found
  }

  #mark(from: number, length: number): void {
    this.#live.fill(1, from, from + length)
  }

  #trunk(number: number): number {
    const start = (number - 1) * this.#pageSize
    const count = this.bytes.readUInt32BE(start + 4)
    this.#mark(start, 8 + 4 * count)
    this.kinds[number - 1] = 'free'
    for (let n = 0; n < count; n++) this.kinds[this.bytes.readUInt32BE(start + 8 + 4 * n) - 1] = 'free'
    return this.bytes.readUInt32BE(start)
  }

  #tree(number: number): void {
    const start = (number - 1) * this.#pageSize
    const at = start + (number === 1 ? 100 : 0)
    this.kinds[number - 1] = number === 1 ? 'first' : 'cells'
    const type = this.bytes.readUInt8(at)
    const isInner = type === 2 || type === 5
    const count = this.bytes.readUInt16BE(at + 3)
    const header = isInner ? 12 : 8
    this.#mark(at, header + 2 * count)
    for (let gap = this.bytes.readUInt16BE(at + 1); gap > 0; gap = this.bytes.readUInt16BE(start + gap))
      this.#mark(start + gap, 4)
    for (let n = 0; n < count; n++) {
      const cell = start + this.bytes.readUInt16BE(at + header + 2 * n)
      if (isInner) this.#tree(this.bytes.readUInt32BE(cell))
      this.#cell(cell, type)
    }
    if (isInner) this.#tree(this.bytes.readUInt32BE(at + 8))
  }

  #cell(cell: number, type: number): void {
    let at = cell + (type === 2 || type === 5 ? 4 : 0)
    const [first, afterFirst] = this.#varint(at)
    at = afterFirst
    if (type === 13) at = this.#varint(at)[1]
    if (type === 5) this.#mark(cell, at - cell)
    else this.#payload(cell, { type, at, bytes: first })
  }

  /** Overflow pages have what a cell has no room for. */
  #payload(cell: number, { type, at, bytes }: { type: number; at: number; bytes: number }): void {
    const usable = this.#pageSize
    const most = type === 13 ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
    const least = Math.floor(((usable - 12) * 32) / 255) - 23
    const wanted = least + ((bytes - least) % (usable - 4))
    const shortened = wanted <= most ? wanted : least
    const local = bytes <= most ? bytes : shortened
    this.#mark(cell, Math.max(4, at + local + (local < bytes ? 4 : 0) - cell))
    let left = bytes - local
    for (let page = left > 0 ? this.bytes.readUInt32BE(at + local) : 0; left > 0; left -= usable - 4) {
      const start = (page - 1) * this.#pageSize
      this.kinds[page - 1] = 'overflow'
      this.#mark(start, 4 + Math.min(left, usable - 4))
      page = this.bytes.readUInt32BE(start)
    }
  }

  #varint(at: number): [value: number, after: number] {
    let value = 0
    for (let n = 0; n < 8; n++) {
      const byte = this.bytes.readUInt8(at + n)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return [value, at + n + 1]
    }
    return [value * 256 + this.bytes.readUInt8(at + 8), at + 9]
  }
}
