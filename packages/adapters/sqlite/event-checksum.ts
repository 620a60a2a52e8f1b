import type { EncodedRecord } from '#packages/events/format/codec.ts'
import { blockBytes, murmur3 } from './murmur3.ts'

/** Stands for the predecessor's checksum at the first event of a stream. */
export const noPredecessor = 0

/** How many numbers come first, 8 bytes each. They include the lengths, which mark where each text ends. */
const numbers = 10
const numberBytes = 8
const headBytes = numbers * numberBytes

/** The most bytes of UTF-8 for one unit of a JavaScript string. */
const maxBytesOfUnit = 3

type Scratch = { buffer: Buffer; view: DataView }

function scratchOf(bytes: number): Scratch {
  const buffer = Buffer.alloc(bytes)
  return { buffer, view: new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength) }
}

/** A buffer that nearly every event fits into. Every call reuses it, and nothing in it outlives a call. */
const usual = scratchOf(256 * 1024)

/**
 * The checksum of an event, 52 bits. It covers its place, its content, and the checksum of the previous event in its
 * stream. It detects damage, not forgery: anyone who changes an event on purpose can recompute it.
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
