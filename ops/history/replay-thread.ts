/** A thread that folds the events of some streams. It starts without a loader. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Replayed, type ReplayOptions, replay } from '#packages/history/questions/replay.ts'
import { loadProjection } from './load-module.ts'
import { openFile } from './open-history.ts'

/** `events`: the event file. `projection`: the analyst's file. */
export type ReplayPart = {
  events: string
  projection: string
  range: Omit<ReplayOptions, 'tell'>
  share: { of: number; index: number }
}

export type FromReplay = { read: number } | { replayed: Replayed<unknown> }

/** The events between two messages. Each message wakes the waiting thread. */
const TELL_EVERY = 100_000

if (parentPort === null) throw new Error('replay-thread.ts is to be started as a worker thread')
const port = parentPort
const { events, projection, range, share } = workerData as ReplayPart
await using store = await openFile(events, share)
let told = 0
const replayed = await replay(store, await loadProjection(projection), {
  ...range,
  tell: (read) => {
    if (read - told < TELL_EVERY) return
    told = read
    port.postMessage({ read } satisfies FromReplay)
  },
})
port.postMessage({ replayed } satisfies FromReplay)
