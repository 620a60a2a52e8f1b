import { sqlTexts } from './duckdb.ts'
import { categoryOf } from './event-line.ts'
import type { ArchiveFile, ForgottenMonth } from './manifest.ts'
import type { ParquetFiles } from './parquet-files.ts'

/** A file that had events of forgotten streams, the file that replaces it, and the sums of the forgotten events. */
type Rewritten = { old: ArchiveFile; rest: ArchiveFile | undefined; sums: ForgottenMonth }

/** Rewrites the files that have events of forgotten streams, without these events. The old files stay unchanged. */
export async function forgetStreams(
  parquet: ParquetFiles,
  files: readonly ArchiveFile[],
  streams: readonly string[],
): Promise<Rewritten[]> {
  if (streams.length === 0) return []
  const { connection } = parquet.duckDb
  await connection.run(`CREATE TEMP TABLE forgotten AS SELECT unnest(${sqlTexts(streams)}) AS stream`)
  const rewritten: Rewritten[] = []
  for (const old of await filesWith(parquet, files, streams)) {
    const events = parquet.eventsOf(old)
    rewritten.push({
      old,
      rest: await rewrite(parquet, old, `SELECT * FROM (${events}) WHERE NOT ${isForgotten}`),
      sums: await sumsOf(parquet, old.month, `SELECT * FROM (${events}) WHERE ${isForgotten}`),
    })
  }
  await connection.run('DROP TABLE forgotten')
  return rewritten
}

const isForgotten = '(stream IN (SELECT stream FROM forgotten))'

/** Adds further sums to the sums of months. */
export function addedUp(known: readonly ForgottenMonth[], more: readonly ForgottenMonth[]): ForgottenMonth[] {
  const byMonth = Map.groupBy([...known, ...more], ({ month }) => month)
  return [...byMonth.values()]
    .map((parts) =>
      parts.reduce((one, other) => ({
        month: one.month,
        jobs: one.jobs + other.jobs,
        debited: one.debited + other.debited,
        charged: one.charged + other.charged,
        refunded: one.refunded + other.refunded,
      })),
    )
    .sort((one, other) => one.month.localeCompare(other.month))
}

async function filesWith(parquet: ParquetFiles, files: readonly ArchiveFile[], streams: readonly string[]) {
  const categories = new Set(streams.map(categoryOf))
  const possible = new Map(
    files.flatMap((file) => (categories.has(file.category) ? [[parquet.placeOf(file), file] as const] : [])),
  )
  if (possible.size === 0) return []
  const found = await parquet.duckDb.connection.runAndReadAll(
    `SELECT DISTINCT filename FROM read_parquet(${sqlTexts([...possible.keys()])}, filename = true,
     hive_partitioning = false) WHERE ${isForgotten} ORDER BY filename`,
  )
  return found.getRows().flatMap(([path]) => possible.get(String(path)) ?? [])
}

async function rewrite(parquet: ParquetFiles, old: ArchiveFile, rest: string): Promise<ArchiveFile | undefined> {
  const [found = {}] = await rowsOf(
    parquet,
    `SELECT count(*)::INTEGER AS events, min(position)::DOUBLE AS first, max(position)::DOUBLE AS last FROM (${rest})`,
  )
  const { events = 0, first = 0, last = 0 } = found
  if (events === 0) return undefined
  const size = Math.round((old.size * events) / old.events)
  return await parquet.write(rest, { ...old, first, last, events, size })
}

async function sumsOf(parquet: ParquetFiles, month: string, forgotten: string): Promise<ForgottenMonth> {
  const sum = (field: string, type: string): string =>
    `coalesce(sum((data->>'$.${field}')::BIGINT) FILTER (type = '${type}'), 0)::DOUBLE`
  const [sums = {}] = await rowsOf(
    parquet,
    `SELECT count(*) FILTER (type = 'JobRequested')::INTEGER AS jobs, ${sum('credits', 'CreditsDebited')} AS debited,
      ${sum('charged', 'CreditsSettled')} AS charged, ${sum('refunded', 'CreditsSettled')} AS refunded
     FROM (${forgotten})`,
  )
  const { jobs = 0, debited = 0, charged = 0, refunded = 0 } = sums
  return { month, jobs, debited, charged, refunded }
}

async function rowsOf({ duckDb }: ParquetFiles, sql: string): Promise<Record<string, number | undefined>[]> {
  const found = await duckDb.connection.runAndReadAll(sql)
  return found.getRowObjectsJS() as Record<string, number | undefined>[]
}
