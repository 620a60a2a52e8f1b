import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncToDisk } from '#packages/disk/sync-to-disk.ts'
import { UNFINISHED } from './archive-folder.ts'
import { type DuckDb, sqlText } from './duckdb.ts'
import { columnNames } from './event-columns.ts'
import type { ArchiveFile } from './manifest.ts'

/** Rows that DuckDB has in memory as a whole, uncompressed and with their dictionaries. */
const ROW_GROUP = 10_240

/** What is known of a file before it is written. */
export type FileContents = Omit<ArchiveFile, 'path' | 'sha256'>

/** Writes the Parquet files of an archive. They are on disk when they are given; only the manifest makes them count. */
export class ParquetFiles {
  readonly directory: string
  readonly duckDb: DuckDb
  /** What DuckDB has taken so far, milliseconds. */
  duckDbMs = 0
  #written = 0

  constructor(directory: string, duckDb: DuckDb) {
    this.directory = directory
    this.duckDb = duckDb
  }

  /** @param events SQL that gives them in the order of their positions: one thread keeps it, and sorting takes all of them into memory */
  async write(events: string, contents: FileContents): Promise<ArchiveFile> {
    this.#written++
    const unfinished = join(this.directory, UNFINISHED, `${this.#written}.parquet`)
    const from = performance.now()
    await this.duckDb.connection.run(
      `COPY (SELECT ${columnNames} FROM (${events}))
       TO ${sqlText(unfinished)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP})`,
    )
    this.duckDbMs += performance.now() - from
    const sha256 = await sha256OfFile(unfinished)
    chmodSync(unfinished, 0o600)
    syncToDisk(unfinished)
    const path = freePath(this.directory, contents)
    const folder = dirname(join(this.directory, path))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    renameSync(unfinished, join(this.directory, path))
    syncToDisk(folder)
    return { ...contents, path, sha256 }
  }
}

/** A new file never takes the place of one that counts. */
function freePath(directory: string, { month, category, first, last }: FileContents): string {
  const range = [first, last].map((position) => String(position).padStart(16, '0')).join('-')
  for (let again = 1; ; again++) {
    const name = again === 1 ? range : `${range}-${again}`
    const path = `events/month=${month}/category=${category}/${name}.parquet`
    if (!existsSync(join(directory, path))) return path
  }
}

/** In hexadecimal. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1_048_576 }), hash)
  return hash.digest('hex')
}
