import type { TimelineEvent } from '#contracts/generated/http.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { JobHistory, Owned, ShownEvents } from './job-history.ts'
import { Timeline } from './timeline.ts'

/** Following ends this long after the deadline of the job, milliseconds, if the job has not ended by then. */
const PAST_DEADLINE_MS = 60_000

/** The new events, maybe none. `ended`: no more will come. */
export type Followed = { events: TimelineEvent[]; ended: boolean }

export const hasEnded = ({ end }: ShownEvents): boolean => end === 'settled' || end === 'unsettled'

/**
 * The events of a job as they come, beginning with those already recorded. Looks at least every half second. Ends
 * with the job or its removal, when the signal is aborted, or if no end comes after the deadline.
 * @param after the id of the event to begin after; 0: begins with the first
 */
export async function* followJob(
  { history, clock }: { history: JobHistory; clock: Clock },
  { owned, shown: known, after }: { owned: Owned; shown: ShownEvents; after: number },
  signal: AbortSignal,
): AsyncIterable<Followed> {
  const timeline = new Timeline()
  let shown = known
  let position = 0
  while (!signal.aborted) {
    const events = timeline.tell(shown).filter(({ id }) => id > after)
    const ended = hasEnded(shown)
    yield { events, ended }
    if (ended) return
    const changed = await history.wait(owned.jobId, position, signal)
    if (changed === undefined) {
      yield { events: [], ended: true }
      return
    }
    position = changed
    if (clock.now() >= (timeline.deadlineAt ?? 0) + PAST_DEADLINE_MS) return
    shown = await history.readFrom(owned, timeline.revision + 1)
  }
}
