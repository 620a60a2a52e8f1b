import { hash } from 'node:crypto'
import type { EncodedRecord } from '../codec.ts'

/** What the first event of a stream has in place of its predecessor's checksum. */
export const noPredecessor = 0

/** Hexadecimal digits of SHA-256 that are kept: 52 bits, which a number holds exactly and SQLite stores in 8 bytes. */
const digits = 13

/**
 * The checksum of an event: over where it stands, what it holds, and the checksum of the event before it in its stream.
 * It finds damage. It does not find what somebody writes on purpose, who can compute it as well.
 */
export function checksumOf(record: EncodedRecord, previous: number): number {
  const { stream, position, revision, id, type, version, recordedAt, metadata, data } = record
  // The length tells where the metadata ends; the letter, whether the data was text or bytes.
  const head = `${stream}\n${position} ${revision} ${id} ${type} ${version} ${recordedAt} ${previous} ${metadata.length}\n`
  const content = typeof data === 'string' ? `t${data}` : `b${Buffer.from(data).toString('latin1')}`
  return Number.parseInt(hash('sha256', `${head}${metadata}${content}`, 'hex').slice(0, digits), 16)
}
