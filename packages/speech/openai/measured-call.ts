import { type Outcome, outcomeOf } from '#packages/openai/outcome.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

type Call = {
  /** Of the endpoint; nothing else of its URL is told. */
  host: string
  /** Length of the sound that is sent. */
  seconds: number
  signal: AbortSignal
}

/** Calls the endpoint in a span, and records how long it took, with how much sound, and how it ended. */
export const measuredCall = <T>(
  telemetry: Telemetry,
  { host, seconds, signal }: Call,
  call: () => Promise<T>,
): Promise<T> => {
  // The operator's own, as its model: it is reached directly.
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
