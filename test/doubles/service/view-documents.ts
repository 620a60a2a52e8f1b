import { join } from 'node:path'
import { pino } from 'pino'
import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { Generations } from '#packages/adapters/mongodb/generations.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { projections } from '#packages/events/views/projections.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { Projector } from '#services/projections/projector.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import type { BackDoor } from './back-door.ts'

/** Every document of a service's views, by `collection/id`. */
export async function viewDocumentsOf({ env, dataDir }: { env: Record<string, string>; dataDir: string }) {
  if (env.MONGODB_URL === undefined) return viewDocuments(join(dataDir, 'views.sqlite'))
  await using connection = new MongoConnection({ url: env.MONGODB_URL })
  const generations = new Generations(connection.db, clock, definition)
  const live = await generations.read()
  if (live === undefined) return {}
  const found: [string, unknown][] = []
  for (const { name } of [...projections].sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const held = connection.db.collection<{ _id: string; position: number; json: string; large: string | null }>(
      generations.nameOf(name, live.generation),
    )
    for (const { _id, position, json, large } of await held
      .find({ goneAt: { $exists: false } })
      .sort({ _id: 1 })
      .toArray())
      found.push([`${name}/${_id}`, { position, large, ...JSON.parse(json) }])
  }
  return Object.fromEntries(found)
}

/** Every document of a file of views, by `collection/id`. It skips notes, such as when a key was last used. */
function viewDocuments(path: string): Record<string, unknown> {
  const database = openBeside(path, { readOnly: true })
  const rows = database
    .prepare('SELECT collection, id, position, json, large FROM documents ORDER BY collection, id')
    .all()
  database.close()
  return Object.fromEntries(
    rows.map(({ collection, id, position, json, large }) => [
      `${collection}/${id}`,
      { position, large, ...JSON.parse(String(json)) },
    ]),
  )
}

/** Rebuilds all views from the events, in a file of its own in `directory`. @returns their documents */
export async function replayedDocuments(backDoor: BackDoor, directory: string): Promise<Record<string, unknown>> {
  const path = join(directory, 'replayed.sqlite')
  {
    await using views = await openSqliteViews({ path, clock, definition })
    const log = pino({ level: 'silent' })
    const projector = new Projector({ store: backDoor.store, views, clock, log, telemetry: noTelemetry }, projections)
    const stop = new AbortController()
    const running = projector.run(stop.signal)
    await Promise.race([projector.ready, running])
    stop.abort()
    await running
  }
  return viewDocuments(path)
}
