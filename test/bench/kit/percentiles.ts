/**
 * The value below which a share of the sample lies (nearest rank); NaN for an empty sample. @param share from 0 to 1
 */
export function percentile(sample: readonly number[], share: number): number {
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (sample: readonly number[]): number => percentile(sample, 0.5)
