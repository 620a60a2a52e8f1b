import type { Check, Rest } from './check.ts'
import { Verdict } from './outcome.ts'
import type { JobTrace, StoredJobEvent } from './traces.ts'

/** How late a job may end after its deadline, and be settled after its end, in milliseconds of running time. */
export const GRACE_MS = 60_000

const isEnd = ({ type }: { type: string }): boolean => type === 'JobCompleted' || type === 'JobFailed'

/** Invariant 1. An event after a forgotten end is found by its revision: `revisions` adds it to the verdict. */
export function ends(standstills: Rest['standstills']): Check {
  const verdict = new Verdict('1', 'every job ends in exactly one event, by its deadline and a minute')

  const lateBy = (deadline: number, at: number): number => standstills.workedBetween(deadline, at) - GRACE_MS

  function deadlineOf({ job }: JobTrace): number {
    return job.status === 'open' ? job.deadlineAt : Number.POSITIVE_INFINITY
  }

  function beginning(event: StoredJobEvent): string | undefined {
    if (event.type === 'JobRequested') return undefined
    const isRefusal = event.type === 'JobFailed' && event.data.code === 'not_accepted'
    return isRefusal ? undefined : `a job begins with ${event.type}`
  }

  return {
    verdict,
    onJob(event, trace) {
      const { end, first, job } = trace
      if (end !== undefined) return verdict.broken(event, `${event.type} comes after ${end.type}, the end of the job`)
      const wrong = first === undefined ? beginning(event) : undefined
      if (wrong !== undefined) verdict.broken(event, wrong)
      if (!isEnd(event)) return
      verdict.checked()
      const lateMs = job.status === 'open' ? lateBy(job.deadlineAt, event.recordedAt) : 0
      if (lateMs > 0) verdict.broken(event, `it ends ${lateMs + GRACE_MS} ms after its deadline`)
    },
    atEnd({ jobs }) {
      for (const trace of jobs) {
        const { end, first } = trace
        if (trace.isPartial || end !== undefined) continue
        if (first !== undefined && lateBy(deadlineOf(trace), standstills.last) > 0)
          verdict.broken(first, 'the job has no end')
      }
    },
  }
}
