import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import { type ArchivedRow, rowColumns } from './archived-event.ts'
import type { ArchiveFile } from './manifest.ts'
import { type Archive, eventsOf } from './open-archive.ts'

/** A row, which is read only where it is asked for: most of them the store has too. */
export type ArchivedItem = { position: number; row(): ArchivedRow }

/** The rows of some files, in the order of their positions. Each file is read once, a piece at a time. */
export class ArchivedFeed implements Disposable {
  readonly #archive: Archive
  readonly #after: number
  /** Files that are not open yet, by their first positions. */
  readonly #rest: ArchiveFile[]
  #open: FileRows[] = []

  /** @param after only rows after this position */
  constructor(archive: Archive, files: readonly ArchiveFile[], after: number) {
    this.#archive = archive
    this.#after = after
    this.#rest = files.filter(({ last }) => last > after).sort((one, other) => one.first - other.first)
  }

  /** The next rows up to a position, at most `count` of them; none where there are no more. */
  async next(upTo: number, count: number): Promise<ArchivedItem[]> {
    const items: ArchivedItem[] = []
    while (items.length < count) {
      const first = await this.#first()
      if (first?.position === undefined || first.position > upTo) break
      items.push(first.item())
      if (!first.skip() && !(await first.fetch())) this.#close(first)
    }
    return items
  }

  /** The file with the next row. */
  async #first(): Promise<FileRows | undefined> {
    let first = this.#earliest()
    for (;;) {
      const next = this.#rest[0]
      if (next === undefined || (first?.position !== undefined && first.position < next.first)) return first
      this.#rest.shift()
      // Each connection streams one file.
      const rows = new FileRows(await this.#archive.connect())
      this.#open.push(rows)
      if (!(await rows.open(eventsOf(this.#archive, [next]), this.#after))) this.#close(rows)
      first = this.#earliest()
    }
  }

  #earliest(): FileRows | undefined {
    let earliest: FileRows | undefined
    for (const rows of this.#open) if ((rows.position ?? Infinity) < (earliest?.position ?? Infinity)) earliest = rows
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

/** Some rows of a file. All of them are read once one is asked for: that is far faster than one by one. */
type Piece = { positions: readonly number[]; row(at: number): ArchivedRow }

function pieceOf(chunk: DuckDBDataChunk): Piece {
  let columns: unknown[][] | undefined
  return {
    positions: chunk.getColumnValues(0) as number[],
    row(at) {
      columns ??= chunk.getColumns()
      return columns.map((column) => column[at]) as ArchivedRow
    },
  }
}

/** The rows of one file, as they come. */
class FileRows implements Disposable {
  readonly #connection: DuckDBConnection
  #result: DuckDBResult | undefined
  #piece: Piece | undefined
  #at = 0

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** Of the next row; undefined where there is none. */
  get position(): number | undefined {
    return this.#piece?.positions[this.#at]
  }

  /** The next row. @throws RangeError there is none */
  item(): ArchivedItem {
    const [piece, at] = [this.#piece, this.#at]
    const position = piece?.positions[at]
    if (piece === undefined || position === undefined) throw new RangeError('the file has no more rows')
    return { position, row: () => piece.row(at) }
  }

  /** @param events SQL that gives those of the file @returns whether there is a row */
  async open(events: string, after: number): Promise<boolean> {
    this.#result = await this.#connection.stream(`SELECT ${rowColumns} FROM (${events}) WHERE position > ${after}`)
    return await this.fetch()
  }

  /** Goes on to the next row of the piece. @returns whether there is one */
  skip(): boolean {
    this.#at++
    return this.#at < (this.#piece?.positions.length ?? 0)
  }

  /** Goes on to the next piece. @returns whether there is one */
  async fetch(): Promise<boolean> {
    const chunk = await this.#result?.fetchChunk()
    // At the end there is one without rows and columns.
    this.#piece = chunk && chunk.rowCount > 0 ? pieceOf(chunk) : undefined
    this.#at = 0
    return this.#piece !== undefined
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync()
  }
}
