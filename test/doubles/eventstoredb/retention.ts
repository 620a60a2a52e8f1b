/** The revision of a tombstone, and `$tb` of a deleted stream that may be written again: the greatest 64-bit number. */
export const endOfTime = '9223372036854775807'

/** The part of a stream that may be read, according to its metadata. */
export type Retention = {
  /** The first revision that may be read; {@link deletedBefore} if the stream was deleted. */
  truncateBefore: number
  /** Only this many events may be read, the newest. */
  maxCount: number | null
  /** Only events of at most this age may be read, seconds. */
  maxAge: number | null
}

/** `endOfTime` as JSON gives it. It is not exact as a number. */
export const deletedBefore = Number(endOfTime)

export const keepsEverything: Retention = { truncateBefore: 0, maxCount: null, maxAge: null }

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Reads the newest event of a metadata stream, which replaces all earlier ones. */
export function retentionOf(metadata: Uint8Array): Retention {
  try {
    const { $tb, $maxCount, $maxAge } = JSON.parse(Buffer.from(metadata).toString('utf8'))
    return { truncateBefore: numberOf($tb) ?? 0, maxCount: numberOf($maxCount), maxAge: numberOf($maxAge) }
  } catch {
    return keepsEverything
  }
}
