import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { sha256OfFile } from '#packages/foundation/disk/sha256-of-file.ts'
import { syncToDisk } from '#packages/foundation/disk/sync-to-disk.ts'
import { EVENTS, UNFINISHED } from './archive-folder.ts'
import { type DuckDb, sqlText } from './duckdb.ts'
import { columnsForParquet } from './event-columns.ts'
import type { ArchiveFile, Move } from './manifest.ts'
import { eventsIn } from './open-archive.ts'

/** How many rows DuckDB holds in memory at once, uncompressed and with their dictionaries. */
const ROW_GROUP = 10_240

/** The properties of a file that are known before it is written. */
export type FileContents = Omit<ArchiveFile, 'sha256'>

/**
 * Writes the Parquet files of an archive. `write` returns when a file is on disk, but not yet in its place. The
 * manifest makes it count; then it is moved.
 */
export class ParquetFiles {
  readonly directory: string
  readonly duckDb: DuckDb
  /** The time that DuckDB has used so far, milliseconds. */
  duckDbMs = 0
  #written = 0
  /** The present paths of the files written since the last commit, by their paths in the archive. */
  readonly #unmoved = new Map<string, string>()

  constructor(directory: string, duckDb: DuckDb) {
    this.directory = directory
    this.duckDb = duckDb
  }

  /** The path of a file. */
  placeOf({ path }: ArchiveFile): string {
    return join(this.directory, this.#unmoved.get(path) ?? path)
  }

  /** SQL that selects the events of a file. */
  eventsOf(file: ArchiveFile): string {
    return eventsIn([this.placeOf(file)])
  }

  /** The moves that are still to do for these files. */
  movesOf(files: readonly ArchiveFile[]): Move[] {
    return files.flatMap(({ path }) => {
      const from = this.#unmoved.get(path)
      return from === undefined ? [] : [{ from, to: path }]
    })
  }

  /** Call it when all files are in their places. */
  noteMoved(): void {
    this.#unmoved.clear()
  }

  /**
   * @param events SQL that selects the events in the order of their positions. One thread keeps this order; sorting
   *   would need all of them in memory
   */
  async write(events: string, contents: FileContents): Promise<ArchiveFile> {
    this.#written++
    // Without the ending of complete files.
    const from = join(UNFINISHED, `${this.#written}.part`)
    const unfinished = join(this.directory, from)
    const began = performance.now()
    await this.duckDb.connection.run(
      `COPY (SELECT ${columnsForParquet} FROM (${events}))
       TO ${sqlText(unfinished)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP})`,
    )
    this.duckDbMs += performance.now() - began
    const sha256 = await sha256OfFile(unfinished)
    chmodSync(unfinished, 0o600)
    syncToDisk(unfinished)
    this.#unmoved.set(contents.path, from)
    return { ...contents, sha256 }
  }
}

/**
 * The path of a new file. Its folders contain no information that is not also in a column, because readers disagree on
 * the types of such information.
 */
export const pathOf = (month: string, category: string, first: number): string =>
  `${EVENTS}/${month}/${category}/${String(first).padStart(16, '0')}.parquet`
