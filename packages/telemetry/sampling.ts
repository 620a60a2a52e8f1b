import { hash, randomUUID } from 'node:crypto'
import type { Sampler } from '@opentelemetry/sdk-trace'
import { api, sdkTrace } from './otel-packages.ts'

const { ROOT_CONTEXT, SamplingDecision, SpanKind } = api
const { AlwaysOffSampler, AlwaysOnSampler, TraceIdRatioBasedSampler } = sdkTrace

/** OTEL_TRACES_SAMPLER and its argument. */
export type SamplingOptions = { sampler: string; samplerRatio: number }

function samplerOf({ sampler, samplerRatio }: SamplingOptions): Sampler {
  if (sampler.endsWith('always_off')) return new AlwaysOffSampler()
  if (sampler.endsWith('traceidratio')) return new TraceIdRatioBasedSampler(samplerRatio)
  return new AlwaysOnSampler()
}

/**
 * Decides which traces are recorded: by the trace's id and a secret of this process, so that all requests of a trace get
 * one answer, also those that a tool call makes, and a caller who chooses the id chooses no more.
 */
export function createSampling(options: SamplingOptions): (traceId: string) => boolean {
  const sampler = samplerOf(options)
  const secret = randomUUID()
  return (traceId) => {
    const unforeseen = hash('sha256', secret + traceId).slice(0, 32)
    const { decision } = sampler.shouldSample(ROOT_CONTEXT, unforeseen, '', SpanKind.SERVER, {}, [])
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }
}
