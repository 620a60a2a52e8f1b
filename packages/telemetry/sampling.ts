import { randomInt } from 'node:crypto'

/** OTEL_TRACES_SAMPLER and its argument. */
export type SamplingOptions = { sampler: string; samplerRatio: number }

const RANGE = 2 ** 32

/** The share of recorded traces among those that begin here. */
function shareOf({ sampler, samplerRatio }: SamplingOptions): number {
  if (sampler.endsWith('always_off')) return 0
  return sampler.endsWith('traceidratio') ? samplerRatio : 1
}

/**
 * Decides which traces are recorded, by the trace's id and a secret of this process. So all requests of a trace get one
 * answer, including those of a tool call, and a caller cannot influence the answer by choosing the id. It runs for
 * every request, so it takes two multiplications instead of a hash of a microsecond.
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
