import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { projections } from '#packages/views/projections.ts'
import { Projector } from '#services/projections/projector.ts'
import type { Books } from './books.ts'

/** Every document of a file of views, by `collection/id`. Notes, such as when a key was last used, are none. */
export function viewDocuments(path: string): Record<string, unknown> {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('SELECT collection, id, position, json FROM documents ORDER BY collection, id').all()
  database.close()
  return Object.fromEntries(
    rows.map(({ collection, id, position, json }) => [
      `${collection}/${id}`,
      { position, ...JSON.parse(String(json)) },
    ]),
  )
}

/** Makes all views anew from the events, in a file of its own in `directory`. @returns their documents */
export async function replayedDocuments(books: Books, directory: string): Promise<Record<string, unknown>> {
  const path = join(directory, 'replayed.sqlite')
  {
    await using views = await openSqliteViews({ path, clock })
    const log = pino({ level: 'silent' })
    const projector = new Projector({ store: books.store, views, clock, log }, projections)
    const stop = new AbortController()
    const running = projector.run(stop.signal)
    await Promise.race([projector.ready, running])
    stop.abort()
    await running
  }
  return viewDocuments(path)
}
