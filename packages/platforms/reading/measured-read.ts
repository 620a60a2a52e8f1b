import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Way } from '../platform-definition.ts'
import type { SocialPlatform } from '../registry.ts'

/** The attributes of a measured read from the outside. */
export type MeasuredRead = {
  platform: SocialPlatform | 'direct'
  operation: 'details' | 'captions' | 'media' | 'search' | 'profile' | 'list' | 'oembed'
  /** Only for a platform's videos. */
  way?: Way
  via: EgressRoute['via']
  signal: AbortSignal
}

/** The outcome of a read: `ok`, the code of its failure, or `cancelled` if the signal ended it. */
function outcomeOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof StepError) return error.code
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout'
  return signal.aborted ? 'cancelled' : 'internal_error'
}

/** Does the read and records how long it took and how it ended. @throws what the read throws */
export async function measuredRead<T>(
  telemetry: Telemetry,
  { platform, operation, way, via, signal }: MeasuredRead,
  read: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  let outcome = 'ok'
  try {
    return await read()
  } catch (error) {
    outcome = outcomeOf(error, signal)
    throw error
  } finally {
    telemetry.record(metrics.readDuration, (performance.now() - startedAt) / 1000, {
      [names.platform]: platform,
      [names.operation]: operation,
      [names.outcome]: outcome,
      [names.egressRoute]: via,
      ...(way && { [names.way]: way }),
    })
  }
}
