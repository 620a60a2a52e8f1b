import { exportHistory, openExport } from '#packages/history/archive/export-history.ts'
import { readManifest } from '#packages/history/archive/manifest.ts'
import type { ArchivedStore } from '#packages/history/archive/same-store.ts'
import { readHistory } from '#packages/history/questions/read-history.ts'
import { CheckedArchive } from './checked-archive.ts'
import { type StoreChanges, type Swept, sweep } from './sweep.ts'

export type RetentionOptions = {
  /** The folder of the archive, created if missing. */
  directory: string
  /** The id of the event file. Null if the events are on a server. */
  origin: string | null
  /** The version of this program. */
  program: string
  /** What ended before this instant is removed, milliseconds since 1970. */
  cutoff: number
}

/**
 * Exports everything new into the archive, then removes from the store what is older than the retention. Locks the
 * archive, so that no other process does the same at the same time.
 * @throws ArchiveInUseError another process writes into the archive
 * @throws Error the archive is new, but events were removed that only another archive has
 */
export async function exportAndSweep(
  store: ArchivedStore,
  changes: StoreChanges,
  { directory, origin, program, cutoff }: RetentionOptions,
): Promise<Swept & { exported: number }> {
  const withContent = readManifest(directory)?.withContent ?? false
  await using writer = await openExport(store, directory, { origin, withContent, from: null, program })
  if (writer.archive.manifest.position === 0) await assertNothingTaken(store, directory)
  const exported = await exportHistory(store, writer)
  const swept = await sweep({ store, archive: new CheckedArchive(writer.archive), changes }, cutoff)
  return { exported, ...swept }
}

/** A folder that is not mounted, or was emptied, must not become a second archive without the content of the first. */
async function assertNothingTaken(store: ArchivedStore, directory: string): Promise<void> {
  await readHistory(store, { prefixes: ['removal-'] }, (events) => {
    if (events.some((event) => event.type === 'StreamsRemoved' && event.data.reason === 'retention'))
      throw new Error(
        `${directory} is empty, and another archive has what has left the store: put that one there, or begin ` +
          `without it: npm run history -- export --to ${directory}`,
      )
  })
}
