import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import type { Manifest } from './backup-manifest.ts'

/**
 * The ids of jobs and organizations that were forgotten after a backup. Undefined if the file cannot say: it is missing
 * or damaged, or is not the copied file.
 * @param path the event file from before the restore
 */
export async function forgottenSince(path: string, { origin, position }: Manifest): Promise<string[] | undefined> {
  try {
    await using store = await openSqliteEventStore({ path, readOnly: true })
    return store.origin.id === origin ? await forgottenIn(store, position) : undefined
  } catch {
    // A backup is often restored because the file is damaged.
    return undefined
  }
}

async function forgottenIn(store: Awaited<ReturnType<typeof openSqliteEventStore>>, after: number): Promise<string[]> {
  const ids = new Set<string>()
  const { signal } = new AbortController()
  for await (const { events, caughtUp } of store.follow({ after, prefixes: ['removal-'], signal })) {
    for (const { type, data, metadata } of events)
      if (type === 'StreamsRemoved' && data.reason === 'forgotten') ids.add(metadata.correlationId)
    if (caughtUp) break
  }
  return [...ids]
}
