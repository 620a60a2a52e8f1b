import { lastRevision } from '#packages/events/store/last-revision.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import type { HistoryStore } from '../history-store.ts'
import type { Check } from './check.ts'
import { GRACE_MS } from './ends.ts'
import { type EventPlace, placeOf, Verdict } from './outcome.ts'

/** The most streams per query. */
const AT_ONCE = 50

/** A removal that was decided, and a stream that it names. */
type Named = { stream: string; event: EventPlace }

/**
 * Streams named in StreamsRemoved must be gone once there was time to remove them.
 * @param keepsOld true for an archive, which keeps events that the store has dropped for their age
 */
export function removals(
  store: HistoryStore,
  { keepsOld, forget }: { keepsOld: boolean; forget: (streams: readonly string[]) => void },
): Check {
  const verdict = new Verdict('', 'streams that were removed are gone')
  let named: Named[] = []
  const there: Named[] = []

  async function ask(one: Named): Promise<void> {
    if ((await lastRevision(store, one.stream)) === undefined) verdict.checked()
    else there.push(one)
  }

  return {
    verdict,
    onEvent(event) {
      if (event.type !== 'StreamsRemoved') return
      const { streams, reason } = event.data
      forget(streams)
      if (keepsOld && reason === 'retention') return
      const place = placeOf(event)
      named.push(...streams.map((stream) => ({ stream, event: place })))
    },
    async ask() {
      const asked = named
      named = []
      await inParallel(asked, AT_ONCE, undefined, ask)
    },
    async atEnd({ standstills }) {
      // A removal in progress may have finished by now.
      for (const { stream, event } of there) {
        const isDue = standstills.workedBetween(event.recordedAt, standstills.last) > GRACE_MS
        if (!isDue || (await lastRevision(store, stream)) === undefined) continue
        verdict.checked()
        verdict.broken(event, `it names ${stream}, which is still there`)
      }
    },
  }
}
