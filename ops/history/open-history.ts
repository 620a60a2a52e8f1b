import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StreamShare } from '#packages/adapters/sqlite/event-reader.ts'
import { openSqliteEventStore, type SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { type Config, variables } from '#packages/foundation/config/config.ts'
import { ArchivedHistory } from '#packages/history/archive/archived-history.ts'
import { readManifest } from '#packages/history/archive/manifest.ts'
import { openArchive } from '#packages/history/archive/open-archive.ts'
import { type ArchivedStore, assertSameStore } from '#packages/history/archive/same-store.ts'
import type { HistoryStore } from '#packages/history/questions/history-store.ts'
import type { Place } from '#packages/history/questions/read-history.ts'
import { CLOCKS_DIFFER_MS } from '#packages/history/questions/search.ts'
import { openStore } from '#services/host/engines.ts'

/** The size of a read. With small pages little data lives long enough for the garbage collector to copy it. */
const PAGE = { events: 200, bytes: 256 * 1024 }

/** The events, opened for reading only. */
export type History = AsyncDisposable & {
  store: HistoryStore
  /** The path of the event file if it holds all events; undefined if they are on a server, or also in an archive. */
  file: string | undefined
  /** The position to start reading at: it comes before every event after `from`. */
  beginAt(from: Place | undefined): number
}

/** The store without an archive. */
export type StoreHistory = History & {
  store: ArchivedStore
  /** The id of the event file; null if the events are on a server. */
  origin: string | null
  /** The last position of the event file, which is known at once; undefined if the events are on a server. */
  end: number | undefined
}

/**
 * Opens the configured events, whether the service runs or not, and changes nothing. If there is an archive, it
 * supplies the events that the store has removed.
 * @param archive the folder of an archive; there may be no store
 * @throws Error there is no event file, or no such archive
 */
export async function openHistory(config: Config, dataDir: string, archive?: string): Promise<History> {
  if (archive !== undefined) return await openArchived(config, dataDir, archive)
  const { exportDir } = config
  // Nothing has been exported yet.
  if (exportDir === undefined || readManifest(exportDir) === undefined) return await openStoreHistory(config, dataDir)
  return await openArchived(config, dataDir, exportDir)
}

/** @throws Error there is no event file */
export async function openStoreHistory(config: Config, dataDir: string): Promise<StoreHistory> {
  const events = join(dataDir, 'events.sqlite')
  if (config.eventStoreUrl === undefined) return openHistoryFile(events)
  const { store } = await openStore(config, { events })
  // Positions on a server have gaps: reading starts at its first event.
  return {
    store,
    origin: null,
    end: undefined,
    file: undefined,
    beginAt: () => 0,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/** An archive with the store, or without it if there is no event file. */
async function openArchived(config: Config, dataDir: string, directory: string): Promise<History> {
  await using opening = new AsyncDisposableStack()
  // With one thread, DuckDB returns rows in their order.
  const archive = opening.use(await openArchive(directory, { threads: 1 }))
  const isAlone = config.eventStoreUrl === undefined && !existsSync(join(dataDir, 'events.sqlite'))
  const own = isAlone ? undefined : opening.use(await openStoreHistory(config, dataDir))
  if (own !== undefined) await assertSameStore(archive, own.store)
  const open = opening.move()
  return {
    store: new ArchivedHistory(archive, own?.store),
    file: undefined,
    beginAt: (from) => own?.beginAt(from) ?? 0,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function openHistoryFile(file: string): Promise<StoreHistory> {
  const store = await openFile(file)
  const beginAt = (from: Place | undefined): number => {
    if (from === undefined) return 0
    if ('instant' in from) return store.positionAt(from.instant - CLOCKS_DIFFER_MS)
    return Math.max(0, Math.min(from.position - 1, store.origin.lastPosition))
  }
  const { id: origin, lastPosition: end } = store.origin
  return { store, origin, end, file, beginAt, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** Called before anything is created in a wrong folder. @throws Error the events are in a file that does not exist */
export function assertEventFile(config: Config, dataDir: string): void {
  if (config.eventStoreUrl === undefined) assertThere(join(dataDir, 'events.sqlite'))
}

function assertThere(file: string): void {
  if (!existsSync(file))
    throw new Error(`there is no event file ${file}: set ${variables.dataDir.variable}, or add --sandbox`)
}

/** @param share the only streams that followers see @throws Error there is no such file */
export async function openFile(file: string, share?: StreamShare): Promise<SqliteEventStore> {
  assertThere(file)
  return openSqliteEventStore({ path: file, readOnly: true, page: PAGE, ...(share && { share }) })
}
