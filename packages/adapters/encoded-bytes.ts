import type { EncodedEvent } from './codec.ts'

/** About how many bytes an encoded event takes. */
export const encodedBytes = ({ data, metadata }: Pick<EncodedEvent, 'data' | 'metadata'>): number =>
  data.length + metadata.length
