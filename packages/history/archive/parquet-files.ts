import { createHash } from 'node:crypto'
import { chmodSync, createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncToDisk } from '#packages/foundation/disk/sync-to-disk.ts'
import { EVENTS, UNFINISHED } from './archive-folder.ts'
import { type DuckDb, sqlText } from './duckdb.ts'
import { columnsForParquet } from './event-columns.ts'
import type { ArchiveFile, Move } from './manifest.ts'
import { eventsIn } from './open-archive.ts'

/** Rows that DuckDB has in memory as a whole, uncompressed and with their dictionaries. */
const ROW_GROUP = 10_240

/** What is known of a file before it is written. */
export type FileContents = Omit<ArchiveFile, 'sha256'>

/**
 * Writes the Parquet files of an archive. They are on disk when they are given, beside their places: the manifest makes them
 * count, and then they are moved.
 */
export class ParquetFiles {
  readonly directory: string
  readonly duckDb: DuckDb
  /** What DuckDB has taken so far, milliseconds. */
  duckDbMs = 0
  #written = 0
  /** Where files are that were written since the last commit, by their paths in the archive. */
  readonly #unmoved = new Map<string, string>()

  constructor(directory: string, duckDb: DuckDb) {
    this.directory = directory
    this.duckDb = duckDb
  }

  /** The path of a file. */
  placeOf({ path }: ArchiveFile): string {
    return join(this.directory, this.#unmoved.get(path) ?? path)
  }

  /** SQL that gives the events of a file. */
  eventsOf(file: ArchiveFile): string {
    return eventsIn([this.placeOf(file)])
  }

  /** The files among some that are not in their places yet. */
  movesOf(files: readonly ArchiveFile[]): Move[] {
    return files.flatMap(({ path }) => {
      const from = this.#unmoved.get(path)
      return from === undefined ? [] : [{ from, to: path }]
    })
  }

  /** All of them are in their places. */
  noteMoved(): void {
    this.#unmoved.clear()
  }

  /** @param events SQL that gives them in the order of their positions: one thread keeps it, and sorting takes all of them into memory */
  async write(events: string, contents: FileContents): Promise<ArchiveFile> {
    this.#written++
    // The name does not end as those of whole files do.
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

/** Where a new file is to lie. Folders say nothing that is no column too: not all who read them agree on the types. */
export const pathOf = (month: string, category: string, first: number): string =>
  `${EVENTS}/${month}/${category}/${String(first).padStart(16, '0')}.parquet`

/** In hexadecimal. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1_048_576 }), hash)
  return hash.digest('hex')
}
