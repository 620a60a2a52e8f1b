/** The revision of a tombstone, and `$tb` of a stream that was deleted but may come back: the greatest 64-bit number. */
export const endOfTime = '9223372036854775807'

/** How much of a stream may be read, by its metadata. */
export type Retention = {
  /** The first revision that may be read; {@link deletedBefore} where the stream was deleted. */
  truncateBefore: number
  /** So many of the newest events. */
  maxCount: number | null
  /** Events no older than this, seconds. */
  maxAge: number | null
}

/** `endOfTime` as JSON gives it: no number is exact there. */
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
