import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { HistoryStore } from '../history-store.ts'
import { CLOCKS_DIFFER_MS } from '../search.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'
import type { StreamTrace } from './traces.ts'

/** An event that does not follow the last read event of its stream. */
type Doubt = { event: StoredEvent; after: number }

/** The most streams per query. */
const AT_ONCE = 50

/** The first event of a truncated ledger. */
export const mayBeginLedger = ({ type }: StoredEvent): boolean => type === 'CreditsStated'

/**
 * The basis of every other check. Positions grow. The events of a stream have the revisions 0, 1, 2 … and do not go
 * back in time. The end of a job is the last event of its stream. Ended jobs are forgotten, so for an event without a
 * known predecessor the store is queried for the event before it.
 */
export function revisions(
  store: HistoryStore,
  {
    beginsLater,
    isRemoved,
    ends,
  }: { beginsLater: boolean; isRemoved: (stream: string) => Promise<boolean>; ends: Verdict },
): Check {
  const verdict = new Verdict('', 'positions grow; revisions have no gaps and come in order; times do not go back')
  let position = 0
  let doubts: Doubt[] = []

  async function ask({ event, after }: Doubt): Promise<void> {
    const { stream, revision } = event
    const before = revision === 0 ? [] : await store.read(stream, { to: revision - 1 })
    const end = before.find(({ type }) => type === 'JobCompleted' || type === 'JobFailed')
    const last = before.at(-1)?.revision ?? -1
    // Its older events were truncated, or its stream was removed, before the pass or during it.
    if (before.length === 0 && revision > 0 && (mayBeginLedger(event) || (await isRemoved(stream)))) return
    if (end !== undefined) ends.broken(event, `${event.type} comes after ${end.type}, the end of the job`)
    else if (revision <= after) verdict.broken(event, `revision ${revision} comes after revision ${after}`)
    else if (after >= 0) verdict.broken(event, `revision ${revision} comes right after revision ${after}`)
    else if (last < revision - 1)
      verdict.broken(event, before.length === 0 ? `no event is before revision ${revision}` : `it follows on ${last}`)
    else if (!beginsLater) verdict.broken(event, `revision ${revision} comes before those that it follows`)
  }

  return {
    verdict,
    onEvent(event: StoredEvent, { revision, recordedAt }: StreamTrace) {
      verdict.checked()
      if (event.position <= position)
        verdict.broken(event, `position ${event.position} comes after position ${position}`)
      position = Math.max(position, event.position)
      if (event.revision !== revision + 1) doubts.push({ event, after: revision })
      else if (event.recordedAt < recordedAt - CLOCKS_DIFFER_MS)
        verdict.broken(event, `it was recorded ${recordedAt - event.recordedAt} ms before the event before it`)
    },
    async ask() {
      const asked = doubts
      doubts = []
      await inParallel(asked, AT_ONCE, undefined, ask)
    },
  }
}
