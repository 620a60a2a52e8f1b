import { hash, randomUUID } from 'node:crypto'

/** OTEL_TRACES_SAMPLER and its argument. */
export type SamplingOptions = { sampler: string; samplerRatio: number }

/** The share of the traces that begin here and are recorded. */
function shareOf({ sampler, samplerRatio }: SamplingOptions): number {
  if (sampler.endsWith('always_off')) return 0
  return sampler.endsWith('traceidratio') ? samplerRatio : 1
}

/**
 * Decides which traces are recorded: by the trace's id and a secret of this process, so that all requests of a trace get
 * one answer, also those that a tool call makes, and a caller who chooses the id chooses no more.
 */
export function createSampling(options: SamplingOptions): (traceId: string) => boolean {
  const share = shareOf(options)
  if (share <= 0 || share >= 1) return () => share > 0
  const secret = randomUUID()
  return (traceId) => Number.parseInt(hash('sha256', secret + traceId).slice(0, 8), 16) < share * 2 ** 32
}
