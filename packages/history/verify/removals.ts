import { lastRevision } from '#packages/event-store/last-revision.ts'
import { inParallel } from '#packages/work/in-parallel.ts'
import type { HistoryStore } from '../history-store.ts'
import type { Check } from './check.ts'
import { GRACE_MS } from './ends.ts'
import { type EventPlace, placeOf, Verdict } from './outcome.ts'

/** Streams that are asked about at once. */
const AT_ONCE = 50

/** A removal that was decided, and a stream that it names. */
type Named = { stream: string; event: EventPlace }

/**
 * What StreamsRemoved names is gone, once there was time for it. @param keepsOld an archive keeps what the store has given
 * up for its age
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
      // What was under way may be carried out by now.
      for (const { stream, event } of there) {
        const isDue = standstills.workedBetween(event.recordedAt, standstills.last) > GRACE_MS
        if (!isDue || (await lastRevision(store, stream)) === undefined) continue
        verdict.checked()
        verdict.broken(event, `it names ${stream}, which is still there`)
      }
    },
  }
}
