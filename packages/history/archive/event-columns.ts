/** The columns of `events` with DuckDB's types, in order. */
export const eventColumns = [
  /** Place in the whole store. */
  { name: 'position', type: 'BIGINT' },
  { name: 'stream', type: 'VARCHAR' },
  /** The first word of the stream's name, such as `job`. */
  { name: 'category', type: 'VARCHAR' },
  { name: 'revision', type: 'INTEGER' },
  { name: 'id', type: 'UUID' },
  { name: 'type', type: 'VARCHAR' },
  /** The version of the event's type that `data` follows: the newest one at the time of the export. */
  { name: 'version', type: 'INTEGER' },
  /** Milliseconds, UTC. */
  { name: 'recorded_at', type: 'TIMESTAMP' },
  { name: 'org_id', type: 'VARCHAR' },
  /** For events of jobs and their credits: the id of the job. */
  { name: 'correlation_id', type: 'VARCHAR' },
  { name: 'causation_id', type: 'VARCHAR' },
  { name: 'traceparent', type: 'VARCHAR' },
  /** JSON. */
  { name: 'data', type: 'VARCHAR' },
] as const

/** Types in the JSON lines from which Parquet files are made: times are milliseconds since 1970. */
const lineType = (type: string): string => (type === 'TIMESTAMP' ? 'BIGINT' : type)

/** For DuckDB's `read_json`. */
export const lineColumns = `{${eventColumns.map(({ name, type }) => `${name}: '${lineType(type)}'`).join(', ')}}`

/** Parquet files mark times as UTC and `data` as JSON, so readers need not know it. */
const inParquet: Record<string, { type: string; from: string; to: string }> = {
  recorded_at: {
    type: 'TIMESTAMP WITH TIME ZONE',
    from: 'make_timestamp(epoch_us(recorded_at))',
    to: 'make_timestamptz(epoch_us(recorded_at))',
  },
  data: { type: 'JSON', from: 'data::VARCHAR', to: 'data::JSON' },
}

const renamed = (name: string, expression: string | undefined): string =>
  expression === undefined ? name : `${expression} AS ${name}`

/** The columns of Parquet files with their types, in order. */
export const parquetTypes: readonly string[] = eventColumns.map(
  ({ name, type }) => `${name} ${inParquet[name]?.type ?? type}`,
)

/** The columns of Parquet files as columns of `events`. */
export const columnsOfParquet: string = eventColumns.map(({ name }) => renamed(name, inParquet[name]?.from)).join(', ')

/** The columns of `events` as columns of Parquet files. */
export const columnsForParquet: string = eventColumns.map(({ name }) => renamed(name, inParquet[name]?.to)).join(', ')

/** The columns of a line as columns of `events`. */
export const columnsOfLine: string = eventColumns
  .map(({ name, type }) => (type === 'TIMESTAMP' ? `epoch_ms(${name}) AS ${name}` : name))
  .join(', ')
