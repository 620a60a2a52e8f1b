import { DatabaseSync } from 'node:sqlite'
import { acceptEventFileEnd } from './accept-end.ts'
import { readEndMark } from './end-mark.ts'
import { liveTables } from './view-tables.ts'
import { furthestOf } from './views-file.ts'
import { ViewsRows } from './views-rows.ts'

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
