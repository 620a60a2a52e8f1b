import { join } from 'node:path'
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import { type ArchivedRow, rowColumns } from './archived-event.ts'
import { sqlText } from './duckdb.ts'
import type { ArchiveFile } from './manifest.ts'

/** Opens a further connection: each streams one file. */
type Connect = () => Promise<DuckDBConnection>

/** The rows of some files, in the order of their positions. Each file is read once, a piece at a time. */
export class ArchivedFeed implements Disposable {
  readonly #connect: Connect
  readonly #directory: string
  readonly #after: number
  /** Files that are not open yet, by their first positions. */
  readonly #rest: ArchiveFile[]
  #open: FileRows[] = []

  /** @param after only rows after this position */
  constructor(connect: Connect, directory: string, files: readonly ArchiveFile[], after: number) {
    this.#connect = connect
    this.#directory = directory
    this.#after = after
    this.#rest = files.filter(({ last }) => last > after).sort((one, other) => one.first - other.first)
  }

  /** The next rows up to a position, at most `count` of them; none where there are no more. */
  async next(upTo: number, count: number): Promise<ArchivedRow[]> {
    const rows: ArchivedRow[] = []
    while (rows.length < count) {
      const first = await this.#first()
      const [position] = first?.head ?? []
      if (first?.head === undefined || position === undefined || position > upTo) break
      rows.push(first.head)
      if (!first.skip() && !(await first.fetch())) this.#close(first)
    }
    return rows
  }

  /** The file with the next row. */
  async #first(): Promise<FileRows | undefined> {
    let first = this.#earliest()
    for (;;) {
      const next = this.#rest[0]
      if (next === undefined || (first?.head !== undefined && first.head[0] < next.first)) return first
      this.#rest.shift()
      const rows = new FileRows(await this.#connect())
      this.#open.push(rows)
      if (!(await rows.open(join(this.#directory, next.path), this.#after))) this.#close(rows)
      first = this.#earliest()
    }
  }

  #earliest(): FileRows | undefined {
    let earliest: FileRows | undefined
    for (const rows of this.#open)
      if (earliest?.head === undefined || (rows.head !== undefined && rows.head[0] < earliest.head[0])) earliest = rows
    return earliest
  }

  #close(rows: FileRows): void {
    rows[Symbol.dispose]()
    this.#open = this.#open.filter((each) => each !== rows)
  }

  [Symbol.dispose](): void {
    for (const rows of this.#open) rows[Symbol.dispose]()
  }
}

/** The rows of one file, as they come. */
class FileRows implements Disposable {
  readonly #connection: DuckDBConnection
  #result: DuckDBResult | undefined
  #rows: ArchivedRow[] = []
  #at = 0

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** The next row; undefined before the first piece was fetched. */
  get head(): ArchivedRow | undefined {
    return this.#rows[this.#at]
  }

  /** @returns whether there is a row */
  async open(path: string, after: number): Promise<boolean> {
    this.#result = await this.#connection.stream(
      `SELECT ${rowColumns} FROM read_parquet(${sqlText(path)}, hive_partitioning = false) WHERE position > ${after}`,
    )
    return await this.fetch()
  }

  /** Goes on to the next row of the piece. @returns whether there is one */
  skip(): boolean {
    this.#at++
    return this.#at < this.#rows.length
  }

  /** Goes on to the next piece. @returns whether there is one */
  async fetch(): Promise<boolean> {
    const chunk = await this.#result?.fetchChunk()
    this.#rows = (chunk?.getRows() ?? []) as unknown as ArchivedRow[]
    this.#at = 0
    return this.#rows.length > 0
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync()
  }
}
