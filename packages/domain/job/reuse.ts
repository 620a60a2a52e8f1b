import type { Recorded } from '#packages/event-sourcing/decider.ts'
import { type JobEvent, resultTypes, type StepResult } from './events.ts'
import type { OpenJob } from './state.ts'

/** How old a job with a reusable result may be, milliseconds. */
export const REUSED_WITHIN_MS = 24 * 60 * 60 * 1000

/** A result that a new job may end with, and the job that made it. */
export type Reusable = { jobId: string; results: readonly StepResult[] }

/** The organization and request of a wanted result, and the time (milliseconds since 1970). */
type Wanted = { orgId: string; requestHash: string; now: number }

/**
 * The results of a job that the same request of the same organization may end with; undefined if there are none. A
 * reused result is not reused again, so no result is older than a day.
 * @param events all of the job
 */
export function reusableIn(
  events: readonly Recorded<JobEvent>[],
  { orgId, requestHash, now }: Wanted,
): StepResult[] | undefined {
  const [first, last] = [events[0], events.at(-1)]
  if (first?.type !== 'JobRequested' || last?.type !== 'JobCompleted') return undefined
  const { data, recordedAt } = first
  if (data.orgId !== orgId || data.requestHash !== requestHash || data.reused !== null) return undefined
  if (now - recordedAt > REUSED_WITHIN_MS) return undefined
  return events.filter(isResult).map(withoutUse)
}

/** Whether the job reuses another one's result. Any other job costs something. */
export const reusesResult = ({ budget }: Pick<OpenJob, 'budget'>): boolean => budget === 0

const isResult = (event: Recorded<JobEvent>): event is Recorded<StepResult> =>
  (resultTypes as readonly string[]).includes(event.type)

/** A job that copies a result has read and used nothing itself. */
function withoutUse({
  type,
  data: { readFrom: _, ...data },
}: {
  type: string
  data: { readFrom?: unknown }
}): StepResult {
  const copy = { type, data } as StepResult
  switch (copy.type) {
    case 'SpeechTranscribed':
      return { type: copy.type, data: { ...copy.data, reused: true } }
    case 'ExtractionProduced':
      return { type: copy.type, data: { ...copy.data, tokens: { input: 0, output: 0 } } }
    default:
      return copy
  }
}
