import type { EventStore } from '#packages/ports/event-store.ts'
import { type Archive, eventsOf } from './open-archive.ts'

/** The store that an archive is made from. */
export type ArchivedStore = Pick<EventStore, 'read' | 'readBackwards' | 'follow' | 'isRemoved'>

/** The last event of a category. */
type LastEvent = { stream: string; revision: number; id: string }

/**
 * Checks that an archive was made from this store: the store must still have the archive's last event of each category.
 * The store drops such an event only together with its whole stream, or after later events of the same stream.
 * @throws Error it was made from another store, or from a later state of this one
 */
export async function assertSameStore(
  archive: Pick<Archive, 'directory' | 'manifest' | 'connection'>,
  store: ArchivedStore,
): Promise<void> {
  for (const last of await lastEvents(archive))
    if (!(await isIn(store, last)))
      throw new Error(
        `${archive.directory} is the archive of another event store, or of a later state of this one: ` +
          `event ${last.revision} of ${last.stream} is not in the store; export into another folder`,
      )
}

async function lastEvents({
  directory,
  manifest,
  connection,
}: Pick<Archive, 'directory' | 'manifest' | 'connection'>): Promise<LastEvent[]> {
  const byCategory = Map.groupBy(manifest.files, ({ category }) => category)
  const newest = [...byCategory.values()].flatMap(
    (files) => files.toSorted((one, other) => other.last - one.last)[0] ?? [],
  )
  const found: LastEvent[] = []
  for (const file of newest) {
    const rows = await connection.runAndReadAll(
      `SELECT stream, revision, id::VARCHAR AS id FROM (${eventsOf({ directory, manifest }, [file])}) WHERE position = ${file.last}`,
    )
    found.push(...(rows.getRowObjectsJS() as LastEvent[]))
  }
  return found
}

async function isIn(store: ArchivedStore, { stream, revision, id }: LastEvent): Promise<boolean> {
  const [event] = await store.read(stream, { from: revision, to: revision })
  if (event !== undefined) return event.id.toLowerCase() === id
  for await (const later of store.readBackwards(stream)) return later.revision > revision
  return await store.isRemoved(stream)
}
