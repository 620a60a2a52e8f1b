import type { EventStore } from '#packages/ports/event-store.ts'

/** So many streams are removed together: they share one transaction. */
const TOGETHER = 100

export type Swept = { jobs: number; events: number; seconds: number }

/**
 * Removes jobs that had ended before an instant, and what the ledgers have before their last statement of before it.
 * @param instant milliseconds since 1970
 * @returns how many, and the time that it took without finding them
 */
export async function sweep(store: EventStore, instant: number): Promise<Swept> {
  const ended = new Set<string>()
  const stated = new Map<string, number>()
  let events = 0
  const { signal } = new AbortController()
  for await (const batch of store.follow({ after: 0, prefixes: ['job-', 'credits-'], signal })) {
    for (const { type, stream, revision, recordedAt } of batch.events) {
      if (recordedAt >= instant) continue
      if (type === 'CreditsStated') stated.set(stream, revision)
      if (!stream.startsWith('job-')) continue
      events++
      if (type === 'JobCompleted' || type === 'JobFailed') ended.add(stream)
    }
    if (batch.caughtUp) break
  }
  const from = performance.now()
  const streams = [...ended]
  for (let n = 0; n < streams.length; n += TOGETHER)
    await Promise.all(streams.slice(n, n + TOGETHER).map((stream) => store.remove(stream)))
  await Promise.all([...stated].map(([stream, revision]) => store.truncate(stream, revision)))
  return { jobs: streams.length, events, seconds: (performance.now() - from) / 1000 }
}
