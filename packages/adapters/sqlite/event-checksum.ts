import type { EncodedRecord } from '#packages/events/codec.ts'
import { blockBytes, murmur3 } from './murmur3.ts'

/** The first event of a stream has this in place of the checksum of its predecessor. */
export const noPredecessor = 0

/** How many numbers come first, 8 bytes each. Among them are the lengths, which say where each text ends. */
const numbers = 10
const numberBytes = 8
const headBytes = numbers * numberBytes

/** Most bytes of UTF-8 for a unit of a JavaScript string. */
const maxBytesOfUnit = 3

type Scratch = { buffer: Buffer; view: DataView }

function scratchOf(bytes: number): Scratch {
  const buffer = Buffer.alloc(bytes)
  return { buffer, view: new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength) }
}

/** Room that nearly every event fits into, used again by each: nothing in it outlives a call. */
const usual = scratchOf(256 * 1024)

/**
 * The checksum of an event, 52 bits: of its place, its content, and the checksum of the event before it in its stream.
 * It finds damage, not forgery: whoever changes an event on purpose can compute it as well.
 */
export function checksumOf(record: EncodedRecord, previous: number): number {
  const { stream, position, revision, id, type, version, recordedAt, metadata, data } = record
  const isText = typeof data === 'string'
  const texts = stream + id + type + metadata
  const most = headBytes + texts.length * maxBytesOfUnit + data.length * (isText ? maxBytesOfUnit : 1) + blockBytes
  const { buffer, view } = most <= usual.buffer.length ? usual : scratchOf(most)
  view.setFloat64(0, position, true)
  view.setFloat64(8, revision, true)
  view.setFloat64(16, version, true)
  view.setFloat64(24, recordedAt, true)
  view.setFloat64(32, previous, true)
  view.setFloat64(40, stream.length, true)
  view.setFloat64(48, id.length, true)
  view.setFloat64(56, type.length, true)
  view.setFloat64(64, metadata.length, true)
  view.setFloat64(72, isText ? 1 : 0, true)
  let end = headBytes
  if (isText) end += buffer.write(texts + data, end)
  else {
    end += buffer.write(texts, end)
    buffer.set(data, end)
    end += data.length
  }
  for (let at = end; at < end + blockBytes; at += numberBytes) view.setFloat64(at, 0)
  return murmur3(view, end)
}
