import type { EncodedEvent } from './codec.ts'

/** About how many bytes an encoded event takes. */
export const encodedBytes = ({ data, metadata }: Pick<EncodedEvent, 'data' | 'metadata'>): number =>
  data.length + metadata.length

/**
 * About how many bytes it takes once it is decoded: reading costs time and memory by this size. Captions that repeat
 * themselves compress to a hundredth.
 */
export const decodedBytes = ({ data, metadata }: Pick<EncodedEvent, 'data' | 'metadata'>): number =>
  (typeof data === 'string' ? data.length : bytesBeforeGzip(data)) + metadata.length

/** The size in the last four bytes of gzip (RFC 1952); never less than the compressed size. */
function bytesBeforeGzip(data: Uint8Array): number {
  const told = data.length < 4 ? 0 : new DataView(data.buffer, data.byteOffset + data.length - 4, 4).getUint32(0, true)
  return Math.max(told, data.length)
}

/** Whether to decode an event takes milliseconds: its data is long, and gzipped. */
export const isLarge = ({ data }: Pick<EncodedEvent, 'data'>): boolean => typeof data !== 'string'
