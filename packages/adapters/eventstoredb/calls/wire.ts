/** The kinds of fields in protobuf's encoding that are read here. */
const kinds = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/**
 * Reads the fields of one protobuf message, in the order in which they were written. The client's generated classes make
 * several objects of each field, which is most of what an event costs.
 */
export class WireReader {
  readonly bytes: Buffer
  #at: number
  readonly #end: number
  #kind = 0

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** The number of the next field, whose value has to be read or skipped; 0 at the end. */
  next(): number {
    if (this.#at >= this.#end) return 0
    const tag = this.varint()
    this.#kind = tag % 8
    return Math.floor(tag / 8)
  }

  /** An unsigned integer; not exact from 2^53 on. */
  varint(): number {
    for (let value = 0, unit = 1; ; unit *= 128) {
      const byte = this.bytes[this.#at++]
      if (byte === undefined || this.#at > this.#end) throw new Error('a message of the event store ends early')
      value += (byte & 127) * unit
      if (byte < 128) return value
    }
  }

  /** A message in this one. */
  message(): WireReader {
    const from = this.#pass()
    return new WireReader(this.bytes, from, this.#at)
  }

  /** Skips to the first field of this number, whose value has to be read then. False where there is none. */
  find(wanted: number): boolean {
    for (let field = this.next(); field !== 0; field = this.next()) {
      if (field === wanted) return true
      this.skip()
    }
    return false
  }

  text(): string {
    const from = this.#pass()
    return this.bytes.toString('utf8', from, this.#at)
  }

  /** Shares the memory of the message. */
  data(): Buffer {
    const from = this.#pass()
    return this.bytes.subarray(from, this.#at)
  }

  skip(): void {
    if (this.#kind === kinds.varint) this.varint()
    else if (this.#kind === kinds.bytes) this.#pass()
    else if (this.#kind === kinds.fixed64) this.#at += 8
    else if (this.#kind === kinds.fixed32) this.#at += 4
    else throw new Error('a message of the event store has a field of an unknown kind')
  }

  /** Passes bytes whose number is before them. @returns where they begin */
  #pass(): number {
    const length = this.varint()
    const from = this.#at
    this.#at += length
    if (this.#at > this.#end) throw new Error('a message of the event store ends early')
    return from
  }
}

/** Writes the fields of one protobuf message. Fields with the value 0 and without bytes are to be left out. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #at = 0

  varint(field: number, value: number): void {
    this.#reserve(20)
    this.#put(field * 8 + kinds.varint)
    this.#put(value)
  }

  text(field: number, value: string): void {
    const bytes = Buffer.byteLength(value)
    this.#tag(field, bytes)
    this.#at += this.#bytes.write(value, this.#at)
  }

  data(field: number, value: Uint8Array): void {
    this.#tag(field, value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  /** Begins a message in this one. What is written until its end belongs to it. @returns what `end` takes */
  begin(field: number): number {
    this.#reserve(20)
    this.#put(field * 8 + kinds.bytes)
    // Room for the length of a short message.
    return this.#at++
  }

  end(begun: number): void {
    const from = begun + 1
    const to = this.#at
    const more = bytesOf(to - from) - 1
    if (more > 0) {
      this.#reserve(more)
      this.#bytes.copyWithin(from + more, from, to)
    }
    this.#at = begun
    this.#put(to - from)
    this.#at = to + more
  }

  /** What was written. Shares the memory of the writer. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  #tag(field: number, length: number): void {
    this.#reserve(20 + length)
    this.#put(field * 8 + kinds.bytes)
    this.#put(length)
  }

  #put(value: number): void {
    let left = value
    for (; left > 127; left = Math.floor(left / 128)) this.#bytes[this.#at++] = (left % 128) + 128
    this.#bytes[this.#at++] = left
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + more))
    larger.set(this.written)
    this.#bytes = larger
  }
}

/** How many bytes a varint takes. */
function bytesOf(value: number): number {
  let bytes = 1
  for (let left = value; left > 127; left = Math.floor(left / 128)) bytes++
  return bytes
}
