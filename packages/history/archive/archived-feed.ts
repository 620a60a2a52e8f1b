import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import { type ArchivedRow, rowColumns } from './archived-event.ts'
import type { ArchiveFile } from './manifest.ts'
import { type Archive, eventsOf } from './open-archive.ts'

/** A row of the archive. `row` reads it. Most rows need not be read, because the store has their events too. */
export type ArchivedItem = { position: number; row(): ArchivedRow }

/** The rows of several files, in the order of their positions. Each file is read once, piece by piece. */
export class ArchivedFeed implements Disposable {
  readonly #archive: Archive
  readonly #after: number
  /** Files that are not open yet, in the order of their first positions. */
  readonly #rest: ArchiveFile[]
  #open: FileRows[] = []

  /** @param after only rows after this position */
  constructor(archive: Archive, files: readonly ArchiveFile[], after: number) {
    this.#archive = archive
    this.#after = after
    this.#rest = files.filter(({ last }) => last > after).sort((one, other) => one.first - other.first)
  }

  /** The next rows up to a position, at most `count`. Empty if there are no more. */
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

/** Some rows of a file. The first access to one of them reads all: that is far faster than one by one. */
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

/** Streams the rows of one file. */
class FileRows implements Disposable {
  readonly #connection: DuckDBConnection
  #result: DuckDBResult | undefined
  #piece: Piece | undefined
  #at = 0

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** The position of the next row. Undefined after the last one. */
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

  /** @param events SQL that selects the events of the file @returns whether there is a row */
  async open(events: string, after: number): Promise<boolean> {
    this.#result = await this.#connection.stream(`SELECT ${rowColumns} FROM (${events}) WHERE position > ${after}`)
    return await this.fetch()
  }

  /** Moves to the next row of the piece. @returns whether there is one */
  skip(): boolean {
    this.#at++
    return this.#at < (this.#piece?.positions.length ?? 0)
  }

  /** Moves to the next piece. @returns whether there is one */
  async fetch(): Promise<boolean> {
    const chunk = await this.#result?.fetchChunk()
    // The last chunk has no rows and no columns.
    this.#piece = chunk && chunk.rowCount > 0 ? pieceOf(chunk) : undefined
    this.#at = 0
    return this.#piece !== undefined
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync()
  }
}
