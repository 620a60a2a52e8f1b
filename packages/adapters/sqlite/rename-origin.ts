import { DatabaseSync } from 'node:sqlite'
import { acceptEventFileEnd } from './accept-end.ts'
import { readEndMark } from './end-mark.ts'
import { liveTables } from './view-tables.ts'
import { furthestOf } from './views-file.ts'
import { ViewsRows } from './views-rows.ts'

/** No documents are read or written here. */
const noDefinition = { version: 0, collections: {} }

/**
 * Gives a copy of the event file a new id before it takes the place of the file: what is appended to it from now on are
 * other events than those that followed in the file. So views made from those are not taken for its own, and are made
 * anew. Views that were copied before the events go over to the new id. The mark of the end is written beside the copy.
 * @param copied `origin`: the id that the copies have; `views`: undefined where there is no copy of them
 * @returns the last position
 */
export function renameOrigin(copied: { events: string; views: string | undefined; origin: string }): number {
  const { end } = acceptEventFileEnd(copied.events)
  const origin = readEndMark(copied.events)?.origin
  if (copied.views === undefined || origin === undefined) return end
  using database = new DatabaseSync(copied.views)
  const rows = new ViewsRows(database, liveTables, noDefinition)
  const state = rows.state()
  // Views that have come further than the events keep the old id: they are made anew.
  if (state?.store === copied.origin && furthestOf(state) <= end) rows.putState({ ...state, store: origin })
  return end
}
