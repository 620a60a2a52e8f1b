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

/** What is read at once. Of small pages little lives long enough to be copied by the garbage collector. */
const PAGE = { events: 200, bytes: 256 * 1024 }

/** The events, opened for reading only. */
export type History = AsyncDisposable & {
  store: HistoryStore
  /** The event file, where it holds all events; undefined where they are on a server, or in an archive too. */
  file: string | undefined
  /** A position to begin reading at: every event that counts from a place on comes after it. */
  beginAt(from: Place | undefined): number
}

/** The store alone, without an archive. */
export type StoreHistory = History & {
  store: ArchivedStore
  /** The id of the event file; null where the events are on a server. */
  origin: string | null
  /** The last position of the event file, which is known at once; undefined where the events are on a server. */
  end: number | undefined
}

/**
 * Opens the events that the configuration names, while the service runs or not. Nothing is made or changed. Where there
 * is an archive of the history, what the store no longer has is read from it.
 * @param archive the folder of an archive; it may be all there is
 * @throws Error there is no event file, or no such archive
 */
export async function openHistory(config: Config, dataDir: string, archive?: string): Promise<History> {
  if (archive !== undefined) return await openArchived(config, dataDir, archive)
  const { exportDir } = config
  // Nothing was exported yet.
  if (exportDir === undefined || readManifest(exportDir) === undefined) return await openStoreHistory(config, dataDir)
  return await openArchived(config, dataDir, exportDir)
}

/** @throws Error there is no event file */
export async function openStoreHistory(config: Config, dataDir: string): Promise<StoreHistory> {
  const events = join(dataDir, 'events.sqlite')
  if (config.eventStoreUrl === undefined) return openHistoryFile(events)
  const { store } = await openStore(config, { events })
  // Positions on a server have gaps: it begins to read at its first event.
  return {
    store,
    origin: null,
    end: undefined,
    file: undefined,
    beginAt: () => 0,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/** An archive and the store, or the archive alone where there is no event file. */
async function openArchived(config: Config, dataDir: string, directory: string): Promise<History> {
  await using opening = new AsyncDisposableStack()
  // One thread gives rows in their order.
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

/** Before anything is made in a wrong folder. @throws Error the events are in a file, and it is not there */
export function assertEventFile(config: Config, dataDir: string): void {
  if (config.eventStoreUrl === undefined) assertThere(join(dataDir, 'events.sqlite'))
}

function assertThere(file: string): void {
  if (!existsSync(file))
    throw new Error(`there is no event file ${file}: set ${variables.dataDir.variable}, or add --sandbox`)
}

/** @param share followers see only these streams @throws Error there is no such file */
export async function openFile(file: string, share?: StreamShare): Promise<SqliteEventStore> {
  assertThere(file)
  return openSqliteEventStore({ path: file, readOnly: true, page: PAGE, ...(share && { share }) })
}
