import type { EncodedEvent } from './codec.ts'

/** Approximate bytes of an encoded event. */
export const encodedBytes = ({ data, metadata }: Pick<EncodedEvent, 'data' | 'metadata'>): number =>
  data.length + metadata.length

/**
 * Approximate bytes once it is decoded: the time and memory of a read grow with this size. Repetitive captions compress
 * to a hundredth.
 */
export const decodedBytes = ({ data, metadata }: Pick<EncodedEvent, 'data' | 'metadata'>): number =>
  (typeof data === 'string' ? data.length : bytesBeforeGzip(data)) + metadata.length

/** The size in the last four bytes of gzip (RFC 1952), or the compressed size if that is larger. */
function bytesBeforeGzip(data: Uint8Array): number {
  const size = data.length < 4 ? 0 : new DataView(data.buffer, data.byteOffset + data.length - 4, 4).getUint32(0, true)
  return Math.max(size, data.length)
}

/** Whether decoding an event takes milliseconds, because its data is long and gzipped. */
export const isLarge = ({ data }: Pick<EncodedEvent, 'data'>): boolean => typeof data !== 'string'
