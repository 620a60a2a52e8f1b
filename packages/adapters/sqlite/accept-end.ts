import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { markPathOf, readEndMark, replaceEndMark } from './end-mark.ts'
import { prepareEventFile } from './event-schema.ts'
import { liveTables } from './view-tables.ts'
import { furthestOf } from './views-file.ts'
import { ViewsRows } from './views-rows.ts'

const busyTimeoutMs = 1000

/**
 * Accepts the present end of the event file although later events were seen, and so gives up the missing ones. The file
 * gets a new id, so that views made from the missing events are rebuilt. The caller holds the lock of the directory.
 * @returns the present end, and the last position that was seen
 */
export function acceptEventFileEnd(path: string): { end: number; seen: number | undefined } {
  const seen = readEndMark(path)?.position
  // Without its file, an old log would be taken for the new file's log.
  if (!existsSync(path)) for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  using database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  prepareEventFile(database, path)
  const row = database.prepare('SELECT position, checksum FROM ends').get()
  const end = { position: Number(row?.position), checksum: Number(row?.checksum) }
  // The old mark is removed first, so that an interrupted call has accepted the end as well.
  rmSync(markPathOf(path), { force: true })
  database.prepare('UPDATE origin SET id = lower(hex(randomblob(16))), accepted_end = ?').run(end.position)
  const origin = String(database.prepare('SELECT id FROM origin').get()?.id)
  replaceEndMark(path, { origin, ...end })
  return { end: end.position, seen }
}

/** No documents are read or written here. */
const noDefinition = { version: 0, collections: {} }

/**
 * Gives a copy of the event file a new id before the copy replaces the file. From now on, other events may be appended
 * to the copy than were appended to the file. Thanks to the new id, views made from the file's later events are not
 * taken for the copy's, and are rebuilt. Views that were copied before the events get the new id too. The mark of the
 * end is written beside the copy.
 * @param copied `origin`: the id in the copies; `views`: undefined if they were not copied
 * @returns the last position
 */
export function renameOrigin(copied: { events: string; views: string | undefined; origin: string }): number {
  const { end } = acceptEventFileEnd(copied.events)
  const origin = readEndMark(copied.events)?.origin
  if (copied.views === undefined || origin === undefined) return end
  using database = new DatabaseSync(copied.views)
  const rows = new ViewsRows(database, liveTables, noDefinition)
  const state = rows.state()
  // Views that are ahead of the events keep the old id, and are rebuilt.
  if (state?.store === copied.origin && furthestOf(state) <= end) rows.putState({ ...state, store: origin })
  return end
}
