import type { HistoryStore } from '#packages/history/questions/history-store.ts'
import { allStreams } from '#packages/history/questions/projection.ts'
import { ArchiveWriter, type ArchiveWriterOptions } from './archive-writer.ts'
import { type ArchivedStore, assertSameStore } from './same-store.ts'

/** After a crash at most this many events must be exported again. */
const COMMIT_EVERY = 2_000_000

export type ExportOptions = {
  /** The archive needs no event at or before this position. Default: 0. */
  after?: number
  /** Commits after this many events, and at the end. Default: 2,000,000. */
  commitEvery?: number
  /** Called after each batch with the number of events exported so far. */
  tell?: (events: number) => void
}

/**
 * Opens an archive to export a store into it, and makes it if it is missing.
 * @throws Error another process adds to it, or it belongs to another store or has other options
 */
export async function openExport(
  store: ArchivedStore,
  directory: string,
  options: ArchiveWriterOptions,
): Promise<ArchiveWriter> {
  await using opening = new AsyncDisposableStack()
  const writer = opening.use(await ArchiveWriter.open(directory, options))
  await assertSameStore(writer.archive, store)
  opening.move()
  return writer
}

/**
 * Adds to an archive the events of the store that it does not have yet, up to the end of the feed.
 * @returns how many events were added
 */
export async function exportHistory(
  store: HistoryStore,
  writer: ArchiveWriter,
  { after = 0, commitEvery = COMMIT_EVERY, tell }: ExportOptions = {},
): Promise<number> {
  const end = new AbortController()
  const { position: known } = writer.archive.manifest
  let [exported, committed] = [0, 0]
  const feed = store.follow({ after: Math.max(after, known), prefixes: allStreams, signal: end.signal })
  for await (const { events, position, caughtUp } of feed) {
    exported += await writer.add(events)
    tell?.(exported)
    if (caughtUp) end.abort()
    if (!caughtUp && exported - committed < commitEvery) continue
    await writer.commit(Math.max(position, known))
    committed = exported
  }
  return exported
}
