import { type Outcome, outcomeOf } from '#packages/openai/outcome.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

type Call = {
  /** Of the endpoint. No other part of its URL is recorded. */
  host: string
  /** Length of the sent sound. */
  seconds: number
  signal: AbortSignal
}

/** Calls the endpoint in a span, and records its duration, its amount of sound and its outcome. */
export const measuredCall = <T>(
  telemetry: Telemetry,
  { host, seconds, signal }: Call,
  call: () => Promise<T>,
): Promise<T> => {
  // The endpoint is the operator's own, like its model, and is reached directly.
  const attributes = { [names.serverAddress]: host, [names.egressRoute]: 'direct', [names.audioSeconds]: seconds }
  return telemetry.inSpan({ name: 'speech call', kind: 'client', attributes }, async (set) => {
    const startedAt = performance.now()
    let outcome: Outcome = 'ok'
    try {
      return await call()
    } catch (error) {
      outcome = outcomeOf(error, signal)
      throw error
    } finally {
      const measured = { [names.outcome]: outcome, [names.serverAddress]: host }
      set({ [names.outcome]: outcome })
      telemetry.record(metrics.speechCallDuration, (performance.now() - startedAt) / 1000, measured)
      telemetry.add(metrics.speechCallSound, seconds, measured)
    }
  })
}
