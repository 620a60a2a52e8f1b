import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { type CarryOutPorts, carryOut } from '#packages/history/removal/carry-out.ts'
import { recordRemoval } from '#packages/history/removal/record-removal.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type Ids, streams, uuidFrom } from '#packages/ports/ids.ts'
import type { StoreChanges } from './sweep.ts'

export type StoreChangesPorts = CarryOutPorts & { clock: Clock; ids: Ids }

/** The name of the sweep in the causes of its events. */
const NAME = 'retention'

/** Streams removed at once: a store may remove them together. */
const AT_ONCE = 50

/** Makes the changes of a sweep in the event store. */
export function storeChanges(ports: StoreChangesPorts): StoreChanges {
  const { store } = ports

  async function removeJobs(orgId: string, jobs: readonly string[]): Promise<void> {
    const [first, ...others] = jobs
    if (first === undefined) return
    const about = uuidFrom(orgId, first)
    // An interrupted sweep may have named other streams together with this job's.
    const [decided] = await store.read(streams.removal(about))
    const named =
      decided?.type === 'StreamsRemoved' ? decided.data.streams : ([first, ...others] satisfies [string, ...string[]])
    const data = { reason: 'retention' as const, streams: named }
    if (decided === undefined) await recordRemoval(ports, { about, orgId, cause: NAME, data }, 'no-stream')
    await carryOut(ports, { data })
    const removed = new Set<string>(named)
    await removeJobs(
      orgId,
      jobs.filter((job) => !removed.has(job)),
    )
  }

  return {
    removeJobs,
    truncate: (stream, before) => store.truncate(stream, before),
    async removeRemovals(old) {
      await inParallel(old, AT_ONCE, undefined, (stream) => store.remove(stream))
    },
  }
}
