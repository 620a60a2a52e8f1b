import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { storeFormat } from '#packages/events/format/store-format.ts'
import { syncToDisk } from '#packages/foundation/disk/sync-to-disk.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { moveFiles, openArchiveFolder, removeUnnamed, UNFINISHED } from './archive-folder.ts'
import { type DuckDb, sqlText } from './duckdb.ts'
import { columnsOfLine, lineColumns } from './event-columns.ts'
import { categoryOf, eventLine } from './event-line.ts'
import { addedUp, forgetStreams } from './forget-streams.ts'
import { LinesFile } from './lines-file.ts'
import { type ArchiveFile, type ArchiveStart, type Manifest, readManifest, writeManifest } from './manifest.ts'
import { Months } from './month.ts'
import type { Archive } from './open-archive.ts'
import { ParquetFiles, pathOf } from './parquet-files.ts'
import { withoutContent } from './personal-data.ts'

/** A file that has reached one of these sizes (events, characters of JSON) is full: nothing is added to it. */
type Fullness = { events: number; size: number }

const FULL: Fullness = { events: 122_880, size: 64 * 1_048_576 }

/** How many parts may wait for DuckDB, each on disk. */
const MAX_WAITING = 2

export type ArchiveWriterOptions = {
  /** The id of the event file. Null if the events are on a server. */
  origin: string | null
  withContent: boolean
  from: ArchiveStart | null
  /** The version of this program. */
  program: string
  /** The size of a full file. All runs on one archive must use the same. */
  full?: Fullness
}

/**
 * New events of one month and category. `before`: the last file of these, if it is not full; the new events join it.
 */
type Part = { month: string; category: string; before: ArchiveFile | undefined; lines: LinesFile }

/**
 * Adds events to an archive, in the order of their positions. They count from {@link commit} on: a crash before it
 * leaves the archive unchanged. In each month and category every file but the last is full. So the bytes of full files
 * do not depend on how many runs added the events.
 */
export class ArchiveWriter implements AsyncDisposable {
  readonly #directory: string
  readonly #duckDb: DuckDb
  readonly #parquet: ParquetFiles
  readonly #full: Fullness
  readonly #months = new Months()
  readonly #parts = new Map<string, Part>()
  /** The months and categories with events since the last commit. */
  readonly #begun = new Set<string>()
  /** Streams that the next commit removes. */
  readonly #forgotten = new Set<string>()
  #manifest: Manifest
  /** The files written since the last commit. A file replaces the one with the same path. */
  #written: ArchiveFile[] = []
  #lines = 0
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  /**
   * Opens an archive to add to it, and makes it if it is missing.
   * @throws Error another process adds to it, or it belongs to another store or has other options
   */
  static async open(directory: string, options: ArchiveWriterOptions): Promise<ArchiveWriter> {
    const duckDb = await openArchiveFolder(directory)
    try {
      const { origin, withContent, from, program } = options
      const none = { format: storeFormat, withContent, from, position: 0, files: [], moves: [], forgotten: [] } as const
      const known = readManifest(directory)
      const writtenBy = { program, duckdb: duckDb.version }
      const manifest: Manifest = { ...none, ...known, origin, writtenBy }
      assertSameKind(directory, manifest, options)
      const { moves } = manifest
      moveFiles(directory, moves)
      removeUnnamed(directory, manifest.files)
      const placed = { ...manifest, moves: [] }
      if (known === undefined || moves.length > 0) writeManifest(directory, placed)
      return new ArchiveWriter(directory, placed, duckDb, options.full)
    } catch (error) {
      duckDb[Symbol.dispose]()
      throw error
    }
  }

  private constructor(directory: string, manifest: Manifest, duckDb: DuckDb, full: Fullness = FULL) {
    this.#full = full
    this.#directory = directory
    this.#manifest = manifest
    this.#duckDb = duckDb
    this.#parquet = new ParquetFiles(directory, duckDb)
  }

  /** The time that DuckDB has used so far, milliseconds. */
  get duckDbMs(): number {
    return this.#parquet.duckDbMs
  }

  /** The archive as of the last commit. */
  get archive(): Archive {
    return { ...this.#duckDb, directory: this.#directory, manifest: this.#manifest }
  }

  /**
   * @param events the next events of the feed, after the archive's position
   * @returns how many of them belong to the archive
   */
  async add(events: readonly StoredEvent[]): Promise<number> {
    const { withContent, from } = this.#manifest
    const wanted = from === null ? events : events.filter((event) => countsFrom(event, from))
    for (const event of wanted) {
      const part = this.#partOf(event)
      this.noteRemoval(event)
      part.lines.add(event.position, eventLine(event, withContent ? event.data : withoutContent(event)))
      if (this.#isFull({ events: eventsIn(part), size: sizeOf(part) })) this.#finish(part)
    }
    if (this.#waiting > MAX_WAITING) await this.#last
    return wanted.length
  }

  /** If an event forgets streams, the next commit removes them from the archive. */
  noteRemoval(event: StoredEvent): void {
    if (isForgetting(event)) for (const stream of event.data.streams) this.#forgotten.add(stream)
  }

  #partOf({ recordedAt, stream }: StoredEvent): Part {
    const [month, category] = [this.#months.of(recordedAt), categoryOf(stream)]
    const key = `${month} ${category}`
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const before = this.#begun.has(key) ? undefined : this.#unfinished(month, category)
    this.#begun.add(key)
    this.#lines++
    const lines = new LinesFile(join(this.#directory, UNFINISHED, `${this.#lines}.jsonl`))
    const part = { month, category, before, lines }
    this.#parts.set(key, part)
    return part
  }

  /** The last file of a month and category, unless it is full. */
  #unfinished(month: string, category: string): ArchiveFile | undefined {
    const last = this.#manifest.files.findLast((file) => file.month === month && file.category === category)
    return last === undefined || this.#isFull(last) ? undefined : last
  }

  #isFull({ events, size }: Fullness): boolean {
    return events >= this.#full.events || size >= this.#full.size
  }

  /** Makes the Parquet file of a part in the background, one at a time. */
  #finish(part: Part): void {
    this.#parts.delete(`${part.month} ${part.category}`)
    part.lines.close()
    this.#waiting++
    this.#last = this.#last.then(async () => {
      await this.#convert(part)
      this.#waiting--
    })
    // The error reaches whichever call awaits `#last`.
    this.#last.catch(() => undefined)
  }

  async #convert({ month, category, before, lines }: Part): Promise<void> {
    const added = `SELECT ${columnsOfLine} FROM read_json(${sqlText(lines.path)}, format = 'newline_delimited',
      columns = ${lineColumns}, maximum_object_size = ${Math.max(16 * 1_048_576, 2 * lines.longest)})`
    const sources = before === undefined ? added : `${this.#parquet.eventsOf(before)} UNION ALL ${added}`
    const [first, events] = [before?.first ?? lines.first, (before?.events ?? 0) + lines.events]
    // The new file also has the events of the old one, and replaces it.
    const path = before?.path ?? pathOf(month, category, first)
    const about = { path, month, category, first, last: lines.last, events, size: (before?.size ?? 0) + lines.size }
    this.#written.push(await this.#parquet.write(sources, about))
    rmSync(lines.path)
  }

  /** From now on everything that was added counts. @param position all events up to here were added */
  async commit(position: number): Promise<void> {
    for (const part of [...this.#parts.values()]) this.#finish(part)
    await this.#last
    const files = [...new Map([...this.#manifest.files, ...this.#written].map((file) => [file.path, file])).values()]
    const rewritten = await forgetStreams(this.#parquet, files, [...this.#forgotten])
    const old = new Set(rewritten.map(({ old }) => old))
    this.#manifest = {
      ...this.#manifest,
      position,
      files: [...files.filter((file) => !old.has(file)), ...rewritten.flatMap(({ rest }) => rest ?? [])].sort(inOrder),
      forgotten: addedUp(
        this.#manifest.forgotten,
        rewritten.map(({ sums }) => sums),
      ),
    }
    this.#moveInto(this.#manifest)
    this.#written = []
    this.#begun.clear()
    if (this.#forgotten.size > 0) removeUnnamed(this.#directory, this.#manifest.files)
    this.#forgotten.clear()
  }

  /**
   * Writes the manifest before files move to their places. If the process crashes in between, the next run moves them.
   */
  #moveInto(manifest: Manifest): void {
    const moves = this.#parquet.movesOf(manifest.files)
    if (moves.length > 0) syncToDisk(join(this.#directory, UNFINISHED))
    writeManifest(this.#directory, { ...manifest, moves })
    this.#parquet.noteMoved()
    if (moves.length === 0) return
    moveFiles(this.#directory, moves)
    writeManifest(this.#directory, manifest)
  }

  /** Drops what was not committed. A commit that failed halfway keeps its files: the next run finishes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last.catch(() => undefined)
    for (const { lines } of this.#parts.values()) lines.close()
    const { files, moves } = readManifest(this.#directory) ?? this.#manifest
    if (moves.length === 0) removeUnnamed(this.#directory, files)
    this.#duckDb[Symbol.dispose]()
  }
}

/** Whether an event forgets streams, which must also leave archives. */
export const isForgetting = (event: StoredEvent): event is StoredEvent & { type: 'StreamsRemoved' } =>
  event.type === 'StreamsRemoved' && event.data.reason === 'forgotten'

const countsFrom = ({ position, recordedAt }: StoredEvent, from: ArchiveStart): boolean =>
  'position' in from ? position >= from.position : recordedAt >= from.instant

const eventsIn = ({ before, lines }: Part): number => (before?.events ?? 0) + lines.events
const sizeOf = ({ before, lines }: Part): number => (before?.size ?? 0) + lines.size

const inOrder = (one: ArchiveFile, other: ArchiveFile): number =>
  one.month.localeCompare(other.month) || one.category.localeCompare(other.category) || one.first - other.first

function assertSameKind(directory: string, { withContent, from }: Manifest, wanted: ArchiveWriterOptions): void {
  if (withContent !== wanted.withContent)
    throw new Error(
      withContent
        ? `${directory} has content: add --with-content, or take another folder`
        : `${directory} is without content: leave --with-content out, or take another folder`,
    )
  if (wanted.from !== null && JSON.stringify(from) !== JSON.stringify(wanted.from))
    throw new Error(`${directory} begins elsewhere: leave --from out, or take another folder`)
}
