import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StreamShare } from '#packages/adapters/sqlite/event-reader.ts'
import { openSqliteEventStore, type SqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { type Config, variables } from '#packages/config/config.ts'
import type { HistoryStore } from '#packages/history/history-store.ts'
import type { Place } from '#packages/history/read-history.ts'
import { CLOCKS_DIFFER_MS } from '#packages/history/search.ts'
import { openStore } from '#services/host/engines.ts'

/** The events, opened for reading only. */
export type History = AsyncDisposable & {
  store: HistoryStore
  /** The event file; undefined where the events are on a server. */
  file: string | undefined
  /** A position to begin reading at: every event that counts from a place on comes after it. */
  beginAt(from: Place | undefined): number
}

/**
 * Opens the events that the configuration names, while the service runs or not. Nothing is made or changed.
 * @throws Error there is no event file
 */
export async function openHistory(config: Config, dataDir: string): Promise<History> {
  const events = join(dataDir, 'events.sqlite')
  if (config.eventStoreUrl === undefined) return openHistoryFile(events)
  const { store } = await openStore(config, { events })
  // Positions on a server have gaps: it begins to read at its first event.
  return { store, file: undefined, beginAt: () => 0, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

async function openHistoryFile(file: string): Promise<History> {
  const store = await openFile(file)
  const beginAt = (from: Place | undefined): number => {
    if (from === undefined) return 0
    if ('instant' in from) return store.positionAt(from.instant - CLOCKS_DIFFER_MS)
    return Math.max(0, Math.min(from.position - 1, store.origin.lastPosition))
  }
  return { store, file, beginAt, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** @param share followers see only these streams @throws Error there is no such file */
export async function openFile(file: string, share?: StreamShare): Promise<SqliteEventStore> {
  if (!existsSync(file))
    throw new Error(`there is no event file ${file}: set ${variables.dataDir.variable}, or add --sandbox`)
  return openSqliteEventStore({ path: file, readOnly: true, ...(share && { share }) })
}
