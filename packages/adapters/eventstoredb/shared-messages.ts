import { type WireReader, WireWriter } from './wire.ts'

/** Numbers of fields in the server's shared.proto, and of the entries of a map. */
const streamIdentifier = { name: 3 } as const
export const uuid = { structured: 1, text: 2 } as const
const entry = { key: 1, value: 2 } as const

export function identifierOf(stream: string): WireWriter {
  const writer = new WireWriter()
  writer.text(streamIdentifier.name, stream)
  return writer
}

/** The name of a stream in its identifier. */
export const nameIn = (identifier: WireReader): string =>
  identifier.find(streamIdentifier.name) ? identifier.text() : ''

export function entryOf(key: string, value: string): WireWriter {
  const writer = new WireWriter()
  writer.text(entry.key, key)
  writer.text(entry.value, value)
  return writer
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
