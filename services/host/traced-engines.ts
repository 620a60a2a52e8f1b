import type { Config } from '#packages/foundation/config/config.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { tracedEventStore } from '#packages/telemetry/traced-event-store.ts'
import { tracedViews } from '#packages/telemetry/traced-views.ts'
import { tracedWorkQueue } from '#packages/telemetry/traced-work-queue.ts'
import type { Engines } from './engines.ts'
import type { OwnTelemetry } from './open-telemetry.ts'

type Options = { config: Config; telemetry: OwnTelemetry; clock: Clock }

/** The engines, with measurements if anything is exported; otherwise unchanged. */
export function tracedEngines<E extends Pick<Engines, 'store' | 'queue' | 'views'>>(
  engines: E,
  { config, telemetry, clock }: Options,
): E {
  if (!telemetry.isExported) return engines
  const system = config.eventStoreUrl === undefined ? 'sqlite' : 'eventstoredb'
  return {
    ...engines,
    store: tracedEventStore(engines.store, { telemetry, system }),
    queue: tracedWorkQueue(engines.queue, { telemetry, clock }),
    views: tracedViews(engines.views, telemetry),
  }
}
