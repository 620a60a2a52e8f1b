import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { markPathOf, readEndMark, replaceEndMark } from './end-mark.ts'
import { migrateEventFile } from './event-migration.ts'
import { prepareEventFile } from './event-schema.ts'

const busyTimeoutMs = 1000

/**
 * Accepts where the events of a file end now, although later ones were seen: what is missing is given up. The events get a
 * new id, so that views which were made from the missing ones are made anew. For the holder of the directory's lock.
 * @returns where it ends, and how far it was known to have come
 */
export function acceptEventFileEnd(path: string): { end: number; seen: number | undefined } {
  const seen = readEndMark(path)?.position
  // Without its file, a log would be taken for the new one's.
  if (!existsSync(path)) for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  migrateEventFile(path, busyTimeoutMs)
  using database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  prepareEventFile(database)
  const row = database.prepare('SELECT position, checksum FROM ends').get()
  const end = { position: Number(row?.position), checksum: Number(row?.checksum) }
  // Until there is a new mark, the file has none: an interrupted call has accepted the end as well.
  rmSync(markPathOf(path), { force: true })
  database.prepare('UPDATE origin SET id = lower(hex(randomblob(16))), accepted_end = ?').run(end.position)
  const origin = String(database.prepare('SELECT id FROM origin').get()?.id)
  replaceEndMark(path, { origin, ...end })
  return { end: end.position, seen }
}
