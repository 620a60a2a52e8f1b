import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { markPathOf, readEndMark, replaceEndMark } from './end-mark.ts'
import { prepareEventFile } from './event-schema.ts'

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
