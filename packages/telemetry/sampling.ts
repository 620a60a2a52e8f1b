import { randomInt } from 'node:crypto'

/** OTEL_TRACES_SAMPLER and its argument. */
export type SamplingOptions = { sampler: string; samplerRatio: number }

const RANGE = 2 ** 32

/** The share of the traces that begin here and are recorded. */
function shareOf({ sampler, samplerRatio }: SamplingOptions): number {
  if (sampler.endsWith('always_off')) return 0
  return sampler.endsWith('traceidratio') ? samplerRatio : 1
}

/**
 * Decides which traces are recorded: by the trace's id and a secret of this process, so that all requests of a trace get
 * one answer, also those that a tool call makes, and a caller who chooses the id chooses no more. It is asked for every
 * request: two multiplications, in place of a hash of a microsecond.
 */
export function createSampling(options: SamplingOptions): (traceId: string) => boolean {
  const share = shareOf(options)
  if (share <= 0 || share >= 1) return () => share > 0
  const [added, factor] = [randomInt(RANGE), randomInt(RANGE) | 1]
  return (traceId) => {
    const mixed = Math.imul(Number.parseInt(traceId.slice(-8), 16) ^ added, factor)
    return Math.imul(mixed ^ (mixed >>> 15), factor) >>> 0 < share * RANGE
  }
}
