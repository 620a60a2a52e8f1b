import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '#packages/foundation/disk/replace-file.ts'
import { sha256OfFile } from '#packages/foundation/disk/sha256-of-file.ts'
import { sqlTexts } from '#packages/history/archive/duckdb.ts'
import type { ArchiveFile } from '#packages/history/archive/manifest.ts'
import { Months } from '#packages/history/archive/month.ts'
import { type Archive, eventsOf } from '#packages/history/archive/open-archive.ts'

/**
 * In the folder of the archive, among the names that readers of Parquet ignore. If it is lost, the whole archive is
 * searched again.
 */
const PROGRESS = '_retention.json'

export function writeProgress(directory: string, endedBefore: number): void {
  replaceFile(join(directory, PROGRESS), `${JSON.stringify({ endedBefore: new Date(endedBefore).toISOString() })}\n`)
}

/**
 * A job or a delivery of the archive. `endedAt`: milliseconds since 1970. `ids`: of its events, in order, in lower
 * case.
 */
export type ArchivedJob = { orgId: string; stream: string; endedAt: number; ids: string[] }

/** The newest CreditsStated of a ledger in a span of time. */
export type ArchivedStatement = { orgId: string; stream: string; revision: number }

/** Instants, milliseconds since 1970; `to` is excluded. */
export type Span = { from: number; to: number }

/** A file of the archive differs from what was written. */
export class DamagedArchiveError extends Error {
  readonly code = 'damaged_archive'
  constructor(path: string, cause?: unknown) {
    super(`${path} of the archive is missing or damaged: nothing leaves the events that may be in it`, { cause })
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Clocks of processes differ, and a job's events may be recorded a little after its end. */
const AROUND_MS = DAY_MS

/** The events that end a stream, by its category. */
const endsOf = {
  job: "'JobCompleted', 'JobFailed'",
  delivery: "'DeliveryEnded'",
  batch: "'BatchEnded'",
  watch: "'WatchRemoved'",
} as const

/** Reads an archive for retention. It compares every file with its hash in the manifest before it trusts the events. */
export class CheckedArchive {
  readonly #archive: Archive
  readonly #months = new Months()
  /** Files that passed the comparison. */
  readonly #whole = new Set<string>()

  /** @throws Error if it does not begin with the first event of the store */
  constructor(archive: Archive) {
    if (archive.manifest.from !== null)
      throw new Error(`${archive.directory} lacks the first events: retention needs all of them`)
    this.#archive = archive
  }

  get directory(): string {
    return this.#archive.directory
  }

  /** All jobs that ended before this instant have left the event store, milliseconds since 1970. Undefined: unknown. */
  progress(): number | undefined {
    const path = join(this.directory, PROGRESS)
    if (!existsSync(path)) return undefined
    return Date.parse(JSON.parse(readFileSync(path, 'utf8')).endedBefore)
  }

  noteProgress(endedBefore: number): void {
    writeProgress(this.directory, endedBefore)
  }

  /** The start of the month of its first event. Undefined if it has none. */
  begins(): number | undefined {
    const months = this.#archive.manifest.files.map(({ month }) => month).sort()
    return months[0] === undefined ? undefined : Date.parse(months[0])
  }

  /** The jobs, deliveries, batches or watches that ended within a span, by organization. */
  async *ended(category: keyof typeof endsOf, { from, to }: Span): AsyncIterable<ArchivedJob> {
    const files = await this.#checked(category, { from: from - AROUND_MS, to: to + AROUND_MS })
    const rows = this.#rows<{ org_id: string; stream: string; ended_at: number; ids: string[] }>(
      `SELECT any_value(org_id) AS org_id, stream, list(id::VARCHAR ORDER BY revision) AS ids,
         epoch_ms(max(recorded_at) FILTER (type IN (${endsOf[category]})))::DOUBLE AS ended_at
       FROM (${eventsOf(this.#archive, files)}) GROUP BY stream
       HAVING ended_at >= ${from} AND ended_at < ${to} ORDER BY org_id, ended_at`,
    )
    for await (const { org_id: orgId, stream, ended_at: endedAt, ids } of rows) yield { orgId, stream, endedAt, ids }
  }

  /** The newest statement of every ledger that was written within a span. */
  async *statements(span: Span): AsyncIterable<ArchivedStatement> {
    const rows = this.#rows<{ org_id: string; stream: string; revision: number }>(
      `SELECT any_value(org_id) AS org_id, stream, max(revision)::DOUBLE AS revision
       FROM (${eventsOf(this.#archive, await this.#checked('credits', span))})
       WHERE type = 'CreditsStated' AND ${within(span)} GROUP BY stream`,
    )
    for await (const { org_id: orgId, stream, revision } of rows) yield { orgId, stream, revision }
  }

  /** Streams that record removals by retention, written within a span. */
  async *removals(span: Span): AsyncIterable<string> {
    const rows = this.#rows<{ stream: string }>(
      `SELECT DISTINCT stream FROM (${eventsOf(this.#archive, await this.#checked('removal', span))})
       WHERE type = 'StreamsRemoved' AND json_extract_string(data, '$.reason') = 'retention' AND ${within(span)}`,
    )
    for await (const { stream } of rows) yield stream
  }

  /** Compares the files that have the events of ledgers between two positions. @throws DamagedArchiveError */
  async checkLedgers(first: number, last: number): Promise<void> {
    const files = this.#archive.manifest.files.filter((file) => file.category === 'credits')
    for (const file of files) if (file.last >= first && file.first <= last) await this.#check(file)
  }

  /** The files with events of a span, after comparing them. */
  async #checked(category: string, { from, to }: Span): Promise<ArchiveFile[]> {
    const [first, last] = [this.#months.of(from), this.#months.of(to)]
    const files = this.#archive.manifest.files.filter(
      (file) => file.category === category && file.month >= first && file.month <= last,
    )
    if (files.length === 0) return []
    const paths = new Map(files.map((file) => [join(this.directory, file.path), file]))
    const reads = `read_parquet(${sqlTexts([...paths.keys()])}, hive_partitioning = false, filename = true)`
    const found: ArchiveFile[] = []
    for await (const { filename } of this.#rows<{ filename: string }>(
      // With the column unchanged, the statistics exclude row groups of other times.
      `SELECT DISTINCT filename FROM ${reads} WHERE recorded_at >= ${time(from)} AND recorded_at < ${time(to)}`,
    ))
      found.push(paths.get(filename) as ArchiveFile)
    for (const file of found) await this.#check(file)
    return found
  }

  async #check(file: ArchiveFile): Promise<void> {
    if (this.#whole.has(file.path)) return
    const sha256 = await sha256OfFile(join(this.directory, file.path)).catch((error: unknown) => {
      throw new DamagedArchiveError(file.path, error)
    })
    if (sha256 !== file.sha256) throw new DamagedArchiveError(file.path)
    this.#whole.add(file.path)
  }

  async *#rows<Row>(sql: string): AsyncIterable<Row> {
    const result = await this.#archive.connection.stream(sql)
    for await (const rows of result.yieldRowObjectJs()) yield* rows as Iterable<Row>
  }
}

const time = (instant: number): string => `make_timestamptz(${instant * 1000})`

const within = ({ from, to }: Span): string => `epoch_ms(recorded_at) >= ${from} AND epoch_ms(recorded_at) < ${to}`
