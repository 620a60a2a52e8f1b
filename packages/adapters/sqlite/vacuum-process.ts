/** The process of `vacuum`. Takes the path of a file and its greatest allowed size in bytes, and sends the outcome. */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDamageNote } from './damage-note.ts'
import { emptyLog } from './empty-log.ts'
import { EndMarks, markPathOf } from './end-mark.ts'
import { noteFile } from './file-watch.ts'
import { clearRemovals, removalsSinceVacuum } from './removals-since-vacuum.ts'
import type { VacuumOutcome } from './vacuum.ts'

/** How long to wait for other writers, and for readers of an older state, milliseconds. */
const WAIT_MS = 60_000
const AGAIN_AFTER_MS = 100

/** VACUUM makes the new file as a temporary one, then writes it to the log. */
const TIMES_ITS_SIZE = 2

const [, , path = '', maxBytes] = process.argv

async function outcomeOf(file: string): Promise<VacuumOutcome> {
  if (!existsSync(file)) return { kind: 'not-needed' }
  using database = new DatabaseSync(file, { timeout: WAIT_MS })
  const removals = removalsSinceVacuum(database)
  if (removals === 0) return { kind: 'not-needed' }
  const bytesBefore = statSync(file).size
  const why = obstacleOf(file, bytesBefore)
  if (why !== undefined) return { kind: 'left', why }
  const began = performance.now()
  if (!(await writeAnew(database, file)))
    return { kind: 'left', why: 'a reader, such as a backup, still reads an older state' }
  clearRemovals(database, removals)
  const seconds = (performance.now() - began) / 1000
  return { kind: 'vacuumed', bytesBefore, bytesAfter: statSync(file).size, seconds }
}

function obstacleOf(file: string, bytes: number): string | undefined {
  // The events are the only truth.
  if (readDamageNote(file) !== undefined) return 'it is damaged'
  if (bytes > Number(maxBytes)) return `it has ${bytes} bytes: run npm run history -- vacuum on a stopped service`
  const { bavail, bsize } = statfsSync(dirname(file))
  const [free, wanted] = [bavail * bsize, TIMES_ITS_SIZE * bytes]
  return free < wanted ? `it takes ${wanted} bytes beside the file, and the disk has ${free} left` : undefined
}

/** @returns false if the log could not be emptied, which still holds the old pages */
async function writeAnew(database: DatabaseSync, file: string): Promise<boolean> {
  database.exec('PRAGMA wal_autocheckpoint = 0')
  vacuumMarked(database, file)
  // Only files of views are watched. Their watchers would take a rewritten file for another program's work.
  const note = isWatched(database) ? (): void => noteFile(database, file) : (): void => undefined
  // Most of the log is checkpointed while others write.
  database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  note()
  for (const giveUpAt = performance.now() + WAIT_MS; performance.now() < giveUpAt; await sleep(AGAIN_AFTER_MS)) {
    const isEmpty = emptyLog(database)
    note()
    if (isEmpty) return true
  }
  return false
}

/**
 * The smaller size is noted first: otherwise event guards in other processes would take a shorter file for an older
 * copy.
 */
function vacuumMarked(database: DatabaseSync, file: string): void {
  using marks = existsSync(markPathOf(file)) ? new EndMarks(file) : undefined
  marks?.noteShortest(0)
  database.exec('VACUUM')
  marks?.noteShortest(numberOf(database, 'page_count') * numberOf(database, 'page_size'))
}

const numberOf = (database: DatabaseSync, pragma: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])

const isWatched = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'file'").get() !== undefined

const outcome = await outcomeOf(path).catch((error: Error): VacuumOutcome => ({ kind: 'left', why: error.message }))
process.send?.(outcome)
process.disconnect?.()
