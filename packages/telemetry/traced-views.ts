import { decorated } from '#packages/ports/decorated.ts'
import { type Views, ViewsReplacedError } from '#packages/ports/views.ts'
import { metrics } from './metrics.ts'
import { names } from './names.ts'
import type { Telemetry } from './telemetry.ts'

/**
 * Measures the batches that are applied. `replaced`: another process has written to the views or replaced them, and the
 * database is fine.
 */
export const tracedViews = (views: Views, telemetry: Telemetry): Views =>
  decorated(views, {
    async apply(changes, to) {
      const begun = performance.now()
      let outcome = 'ok'
      try {
        await views.apply(changes, to)
      } catch (error) {
        outcome = error instanceof ViewsReplacedError ? 'replaced' : 'failed'
        throw error
      } finally {
        const seconds = (performance.now() - begun) / 1000
        telemetry.record(metrics.viewsDuration, seconds, { [names.outcome]: outcome })
      }
    },
  })
