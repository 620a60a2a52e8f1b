import { existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ViewsDefinition } from '#packages/ports/views.ts'
import type { ViewsState } from '../views-state.ts'
import { DamagedRowError, saysDamaged } from './damaged-file.ts'
import type { EventOrigin } from './event-reader.ts'
import { versionOf } from './event-schema.ts'
import { MissingEventsError } from './missing-events.ts'
import { pageColumn, pageFieldsOf, pageIndexStatements } from './page-query.ts'
import { noteRemoval } from './removals-since-vacuum.ts'
import { inTransaction } from './transaction.ts'
import { liveTables } from './view-tables.ts'
import { ViewsRows } from './views-rows.ts'

export type ViewsFileOptions = {
  /** The file; its folder must exist. It may be deleted at any moment. */
  path: string
  /** Views of another version are emptied. */
  definition: ViewsDefinition
  /** The events from which the views are made. Views of other events are emptied. Without it they are kept. */
  origin?: EventOrigin
  /** Gets a warning when the views have to be rebuilt. */
  log?: { warn(fields: object, message: string): void }
  /** How long opening waits for another process's transaction, milliseconds. Default 1,000. */
  busyTimeoutMs?: number
}

/**
 * The columns of a table of documents. The large field is the last column. SQLite reads a row from its front, so a
 * query without that field skips the pages that only it fills.
 */
export const documentColumns = (definition: ViewsDefinition): string => `
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  json TEXT NOT NULL,
  large_sum INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  ${pageFieldsOf(definition).map(pageColumn).join(', ')},
  large TEXT,
  PRIMARY KEY (collection, id)`

/** `state` has one row for the live views, and one for those that are built beside them. */
const schemaOf = (definition: ViewsDefinition): string => `
CREATE TABLE IF NOT EXISTS documents (${documentColumns(definition)});
CREATE TABLE IF NOT EXISTS state (
  name TEXT PRIMARY KEY,
  store TEXT NOT NULL,
  generation INTEGER NOT NULL,
  checkpoint INTEGER NOT NULL,
  applied INTEGER NOT NULL,
  readable INTEGER NOT NULL,
  sum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, json TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID;
`

/**
 * An SQL expression for a field. The names come from the definition of the views, never from a caller. They are
 * literals because an index on an expression requires that.
 */
export const isField = (collection: string, field: string): string =>
  `collection = '${collection}' AND json_extract(json, '$.${field}')`

/** The statements that create the indexes of `documents`, which `find` uses. */
export function indexes(definition: ViewsDefinition): string[] {
  const ofFields = Object.entries(definition.collections).flatMap(([collection, { findBy = [] }]) =>
    findBy.map(
      (field) =>
        `CREATE INDEX IF NOT EXISTS ${collection}_by_${field} ON documents (json_extract(json, '$.${field}'))
         WHERE collection = '${collection}'`,
    ),
  )
  return [...ofFields, ...pageIndexStatements(definition)]
}

/**
 * Opens the file of the views, and creates it if it is missing. Views can be rebuilt from events, so views that may be
 * wrong are not kept. A damaged file is set aside as `PATH.damaged`, in place of an earlier one. A file that was not
 * made from the events of `origin` is emptied.
 */
export function openViewsFile(options: ViewsFileOptions): DatabaseSync {
  try {
    return open(options)
  } catch (error) {
    if (!saysDamaged(error) && !(error instanceof DamagedRowError)) throw error
    setFileAside(options, error)
    return open(options)
  }
}

/** Renames a damaged file, to make room for a new one. This process no longer has it open. */
export function setFileAside({ path, log }: Pick<ViewsFileOptions, 'path' | 'log'>, error: unknown): void {
  const aside = `${path}.damaged`
  if (existsSync(path)) renameSync(path, aside)
  // These belong to the damaged file, and would be taken for the new one's.
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  log?.warn({ file: path, aside, err: error }, 'the file of the views is damaged: set aside, the views are made again')
}

function open({ path, definition, busyTimeoutMs = 1000, origin, log }: ViewsFileOptions): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    // NORMAL: a power cut may lose the last transactions, each as a whole with its checkpoint. They are rebuilt from
    // the events, so no request waits for the disk here.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST')
    dropOlder(database, definition.version, (why) =>
      log?.warn({ file: path, ...why }, 'the views are of another version: made again'),
    )
    database.exec(schemaOf(definition))
    for (const index of indexes(definition)) database.exec(index)
    const rows = new ViewsRows(database, liveTables, definition)
    if (origin !== undefined)
      keepOnlyThoseOf(origin, database, rows, (why) => log?.warn({ file: path, ...why }, notOfThese))
    // Overwrites removed documents at once. Whole dropped tables are not overwritten, which would take long: their
    // pages stay free until the next VACUUM.
    database.exec('PRAGMA secure_delete = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const notOfThese = 'the views were not made from these events, which may come from a backup: the views are made again'

/** Drops views of another version: their documents have another shape. */
function dropOlder(database: DatabaseSync, wanted: number, warn: (why: object) => void): void {
  if (versionOf(database) === wanted) return
  const dropped = inTransaction(database, () => {
    const version = versionOf(database)
    // Another process may have been first.
    if (version === wanted) return undefined
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    for (const { name } of tables) database.exec(`DROP TABLE "${name}"`)
    database.exec(`PRAGMA user_version = ${wanted}`)
    if (tables.length > 0) noteRemoval(database)
    return tables.length > 0 ? version : undefined
  })
  if (dropped !== undefined) warn({ version: dropped, wanted })
}

/**
 * Empties views that were made from other events. Followers start after the views' checkpoint, and after a checkpoint
 * of other events they would wait for ever.
 * @throws MissingEventsError the views have seen more events than there are, and no operator has accepted that
 */
function keepOnlyThoseOf(
  { id, lastPosition, acceptedEnd }: EventOrigin,
  database: DatabaseSync,
  rows: ViewsRows,
  warn: (why: object) => void,
): void {
  const state = rows.state()
  if (state === undefined) return
  const furthest = furthestOf(state)
  const areOthers = state.store !== id
  if (!areOthers && furthest <= lastPosition) return
  // Accepting an end gives the event file a new id, so views with the same id were made after that.
  if (furthest > lastPosition && (!areOthers || acceptedEnd === undefined))
    throw new MissingEventsError('the event file', lastPosition, `the views were made up to position ${furthest}`)
  inTransaction(database, () => {
    database.exec('DELETE FROM documents; DELETE FROM state; DELETE FROM notes')
    noteRemoval(database)
  })
  if (furthest > 0) warn({ otherEvents: areOthers, furthest, lastPosition })
}

/** The greatest position that the views have reached. */
export const furthestOf = ({ checkpoint, applied }: ViewsState): number => Math.max(checkpoint, applied)
