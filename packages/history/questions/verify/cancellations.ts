import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'

/** Invariant 12, as far as events show: the cause is a request, not a worker or the orchestrator. */
export function cancellations(): Check {
  const verdict = new Verdict('12', 'a job is cancelled only by a request of its owner')
  return {
    verdict,
    onJob(event) {
      if (event.type !== 'JobFailed' || event.data.code !== 'cancelled') return
      verdict.checked()
      const { causationId } = event.metadata
      if (causationId.includes('/')) verdict.broken(event, `it was cancelled by ${causationId}`)
    },
  }
}
