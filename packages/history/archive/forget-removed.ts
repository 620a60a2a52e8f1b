import { readHistory } from '#packages/history/questions/read-history.ts'
import { isForgetting } from './archive-writer.ts'
import { openExport } from './export-history.ts'
import { readManifest } from './manifest.ts'
import type { ArchivedStore } from './same-store.ts'

export type ForgetRemovedOptions = {
  /** The folder of the archive. */
  directory: string
  /** The id of the event file. Null if the events are on a server. */
  origin: string | null
  /** The version of this program. */
  program: string
}

/**
 * Removes from an archive the streams that were forgotten since it was written. Adds no events: the next export
 * continues at the same position.
 * @returns how many decisions to forget it found
 * @throws ArchiveInUseError another process writes into the archive
 */
export async function forgetRemoved(
  store: ArchivedStore,
  { directory, origin, program }: ForgetRemovedOptions,
): Promise<number> {
  const known = readManifest(directory)
  if (known === undefined) return 0
  await using writer = await openExport(store, directory, {
    origin,
    withContent: known.withContent,
    from: null,
    program,
  })
  const { position: after } = writer.archive.manifest
  let met = 0
  await readHistory(store, { prefixes: ['removal-'], after }, (events) => {
    for (const event of events.filter(isForgetting)) {
      writer.noteRemoval(event)
      met++
    }
  })
  if (met > 0) await writer.commit(after)
  return met
}
