import type { WireReader, WireWriter } from './wire.ts'

/** Numbers of fields in the server's shared.proto, and of the entries of a map. */
const streamIdentifier = { name: 3 } as const
export const uuid = { structured: 1, text: 2 } as const
const entry = { key: 1, value: 2 } as const

export function writeIdentifier(writer: WireWriter, field: number, stream: string): void {
  const identifier = writer.begin(field)
  writer.text(streamIdentifier.name, stream)
  writer.end(identifier)
}

/** The name of a stream in its identifier. */
export const nameIn = (identifier: WireReader): string =>
  identifier.find(streamIdentifier.name) ? identifier.text() : ''

export function writeEntry(writer: WireWriter, field: number, key: string, value: string): void {
  const written = writer.begin(field)
  writer.text(entry.key, key)
  writer.text(entry.value, value)
  writer.end(written)
}

export function entryIn(message: WireReader): [key: string, value: string] {
  let [key, value] = ['', '']
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === entry.key) key = message.text()
    else if (field === entry.value) value = message.text()
    else message.skip()
  }
  return [key, value]
}
