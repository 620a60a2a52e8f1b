import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { openArchiveFolder, removeUnnamed, UNFINISHED } from './archive-folder.ts'
import { type DuckDb, sqlText } from './duckdb.ts'
import { columnNames, columnsOfLine, lineColumns } from './event-columns.ts'
import { categoryOf, eventLine } from './event-line.ts'
import { LinesFile } from './lines-file.ts'
import {
  type ArchiveFile,
  type ArchiveStart,
  type Manifest,
  readManifest,
  syncToDisk,
  writeManifest,
} from './manifest.ts'
import { Months } from './month.ts'
import { type Archive, eventsOf } from './open-archive.ts'
import { withoutContent } from './personal-data.ts'

/** A file that has as much as this is never added to: more than this many events, or characters of JSON. */
const FULL = { events: 245_760, size: 256 * 1_048_576 }

/** Parts that may wait for DuckDB, each on disk. */
const MAX_WAITING = 2

export type ArchiveWriterOptions = {
  /** The id of the event file; null where the events are on a server. */
  origin: string | null
  withContent: boolean
  from: ArchiveStart | null
  /** The version of this program. */
  program: string
}

/** Events of a month and a category on their way into a file, with what the last file of these has already. */
type Part = { month: string; category: string; before: ArchiveFile | undefined; lines: LinesFile }

/**
 * Adds events to an archive, in the order of their positions. They count with {@link commit}: a crash before it leaves
 * the archive as it was. Of each month and category all files but the last are full, so their bytes do not depend on how
 * often, or in how many runs, events were added.
 */
export class ArchiveWriter implements AsyncDisposable {
  readonly #directory: string
  readonly #duckDb: DuckDb
  readonly #months = new Months()
  readonly #parts = new Map<string, Part>()
  #manifest: Manifest
  #written: { file: ArchiveFile; before: ArchiveFile | undefined }[] = []
  #replaced: ArchiveFile[] = []
  #parquet = 0
  #waiting = 0
  #last: Promise<void> = Promise.resolve()
  /** What DuckDB has taken so far, milliseconds. */
  duckDbMs = 0

  /**
   * Opens an archive to add to it, making it where there is none.
   * @throws Error another process adds to it, or it is of another store or another kind
   */
  static async open(directory: string, options: ArchiveWriterOptions): Promise<ArchiveWriter> {
    const duckDb = await openArchiveFolder(directory)
    try {
      const { origin, withContent, from, program } = options
      const none = { format: 1, withContent, from, position: 0, files: [], forgotten: [] } as const
      const known = readManifest(directory)
      const writtenBy = { program, duckdb: duckDb.version }
      const manifest: Manifest = { ...none, ...known, origin, writtenBy }
      assertSameKind(directory, manifest, options)
      removeUnnamed(directory, manifest.files)
      return new ArchiveWriter(directory, manifest, duckDb)
    } catch (error) {
      duckDb[Symbol.dispose]()
      throw error
    }
  }

  private constructor(directory: string, manifest: Manifest, duckDb: DuckDb) {
    this.#directory = directory
    this.#manifest = manifest
    this.#duckDb = duckDb
  }

  /** What counts. */
  get archive(): Archive {
    return { ...this.#duckDb, directory: this.#directory, manifest: this.#manifest }
  }

  /**
   * @param events the next ones of the feed, after the archive's position
   * @returns how many of them belong to the archive
   */
  async add(events: readonly StoredEvent[]): Promise<number> {
    const { withContent, from } = this.#manifest
    const wanted = from === null ? events : events.filter((event) => countsFrom(event, from))
    for (const event of wanted) {
      const part = this.#partOf(event)
      part.lines.add(event.position, eventLine(event, withContent ? event.data : withoutContent(event)))
      if (isFull({ events: eventsIn(part), size: sizeOf(part) })) this.#finish(part)
    }
    if (this.#waiting > MAX_WAITING) await this.#last
    return wanted.length
  }

  #partOf({ recordedAt, stream }: StoredEvent): Part {
    const [month, category] = [this.#months.of(recordedAt), categoryOf(stream)]
    const key = `${month} ${category}`
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const last = this.#written.some(({ file }) => isOf(file, month, category))
      ? undefined
      : this.#manifest.files.findLast((file) => isOf(file, month, category))
    const before = last === undefined || isFull(last) ? undefined : last
    const lines = new LinesFile(join(this.#directory, UNFINISHED, `${month}-${category}-${this.#nextName()}.jsonl`))
    const part = { month, category, before, lines }
    this.#parts.set(key, part)
    return part
  }

  #nextName(): number {
    this.#parquet++
    return this.#parquet
  }

  /** Makes the Parquet file of a part in the background, one after the other. */
  #finish(part: Part): void {
    this.#parts.delete(`${part.month} ${part.category}`)
    part.lines.close()
    this.#waiting++
    this.#last = this.#last.then(async () => {
      await this.#convert(part)
      this.#waiting--
    })
    // It is thrown to whoever waits for the last one.
    this.#last.catch(() => undefined)
  }

  async #convert({ month, category, before, lines }: Part): Promise<void> {
    const added = `SELECT ${columnsOfLine} FROM read_json(${sqlText(lines.path)}, format = 'newline_delimited',
      columns = ${lineColumns}, maximum_object_size = ${Math.max(16 * 1_048_576, 2 * lines.longest)})`
    const sources = before === undefined ? added : `${eventsOf(this.#directory, [before])} UNION ALL ${added}`
    const [first, events] = [before?.first ?? lines.first, (before?.events ?? 0) + lines.events]
    const about = { month, category, first, last: lines.last, events, size: (before?.size ?? 0) + lines.size }
    this.#written.push({ file: await this.#write(sources, about), before })
    rmSync(lines.path)
  }

  /** Writes events into a new file. @param sources SQL that gives them */
  async #write(sources: string, about: Omit<ArchiveFile, 'path' | 'sha256'>): Promise<ArchiveFile> {
    const from = performance.now()
    const unfinished = join(this.#directory, UNFINISHED, `${this.#nextName()}.parquet`)
    await this.#duckDb.connection.run(
      `COPY (SELECT ${columnNames} FROM (${sources}) ORDER BY position)
       TO ${sqlText(unfinished)} (FORMAT parquet, COMPRESSION zstd)`,
    )
    this.duckDbMs += performance.now() - from
    const path = freePath(this.#directory, about)
    const file = { path, ...about, sha256: await sha256OfFile(unfinished) }
    syncToDisk(unfinished)
    mkdirSync(dirname(join(this.#directory, path)), { recursive: true, mode: 0o700 })
    renameSync(unfinished, join(this.#directory, path))
    syncToDisk(dirname(join(this.#directory, path)))
    return file
  }

  /** Everything that was added counts from now on. @param position every event up to here was added */
  async commit(position: number): Promise<void> {
    for (const part of [...this.#parts.values()]) this.#finish(part)
    await this.#last
    const replaced = this.#written.flatMap(({ before }) => before ?? [])
    const kept = this.#manifest.files.filter((file) => !replaced.includes(file))
    const files = [...kept, ...this.#written.map(({ file }) => file)].sort(inOrder)
    this.#manifest = { ...this.#manifest, position, files }
    writeManifest(this.#directory, this.#manifest)
    this.#written = []
    // Whoever has opened the archive before reads the replaced files until the next time.
    this.#remove(this.#replaced)
    this.#replaced = replaced
  }

  #remove(files: readonly ArchiveFile[]): void {
    for (const { path } of files) rmSync(join(this.#directory, path), { force: true })
  }

  /** What was not committed is dropped. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last.catch(() => undefined)
    for (const { lines } of this.#parts.values()) lines.close()
    removeUnnamed(this.#directory, this.#manifest.files)
    this.#duckDb[Symbol.dispose]()
  }
}

const countsFrom = ({ position, recordedAt }: StoredEvent, from: ArchiveStart): boolean =>
  'position' in from ? position >= from.position : recordedAt >= from.instant

const isOf = (file: ArchiveFile, month: string, category: string): boolean =>
  file.month === month && file.category === category

const isFull = ({ events, size }: { events: number; size: number }): boolean =>
  events >= FULL.events || size >= FULL.size

const eventsIn = ({ before, lines }: Part): number => (before?.events ?? 0) + lines.events
const sizeOf = ({ before, lines }: Part): number => (before?.size ?? 0) + lines.size

const inOrder = (one: ArchiveFile, other: ArchiveFile): number =>
  one.month.localeCompare(other.month) || one.category.localeCompare(other.category) || one.first - other.first

/** A new file never takes the place of one that counts. */
function freePath(directory: string, { month, category, first, last }: Omit<ArchiveFile, 'path' | 'sha256'>): string {
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
