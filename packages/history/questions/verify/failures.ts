import { next } from '#packages/domain/job/next.ts'
import { CLOCKS_DIFFER_MS } from '../search.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'
import type { EventOf, JobTrace } from './traces.ts'

const byOrchestrator = ({ metadata }: EventOf<'JobFailed'>): boolean => metadata.causationId.startsWith('orchestrator/')

/** Invariant 9, as far as events show. They do not show the answer of a host or a model, nor its duration. */
export function needlessFailures(): Check {
  const verdict = new Verdict(
    '9',
    'no job fails by a timeout before its deadline, for leases it has, or for credits it has',
  )

  function needless(event: EventOf<'JobFailed'>, { job }: JobTrace): string | undefined {
    if (job.status !== 'open') return undefined
    const { code } = event.data
    const earlyMs = job.deadlineAt - event.recordedAt
    if (code === 'timeout' && earlyMs > CLOCKS_DIFFER_MS) return `it timed out ${earlyMs} ms before its deadline`
    if (code === 'insufficient_credits' && (job.mode !== 'auto' || job.budget >= job.prices.speech))
      return `the job had ${job.budget} credits for what it asked for`
    if (code !== 'internal_error' || !byOrchestrator(event)) return undefined
    const due = next(job, event.recordedAt + CLOCKS_DIFFER_MS)
    return due.type === 'fail' ? undefined : 'no step of it had lost its leases'
  }

  return {
    verdict,
    onJob(event, trace) {
      if (event.type !== 'JobFailed') return
      verdict.checked()
      const what = needless(event, trace)
      if (what !== undefined) verdict.broken(event, `the job failed with ${event.data.code}, and ${what}`)
    },
  }
}
