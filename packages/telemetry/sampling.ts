/** The share of the traces that begin here and are recorded, as OTEL_TRACES_SAMPLER and its argument say. */
export function sampledShare(sampler: string, ratio: number): number {
  if (sampler.endsWith('always_off')) return 0
  return sampler.endsWith('traceidratio') ? ratio : 1
}

/** Whether a trace belongs to that share. Its last eight digits decide: of an id that is named after a UUID, they are random. */
export const isInShare = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32
