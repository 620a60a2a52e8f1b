/** The columns of `events`, in their order, with DuckDB's types. Each Parquet file of an archive has them. */
export const eventColumns = [
  /** Place in the whole store. */
  { name: 'position', type: 'BIGINT' },
  { name: 'stream', type: 'VARCHAR' },
  /** What the stream's name begins with, such as `job`. */
  { name: 'category', type: 'VARCHAR' },
  { name: 'revision', type: 'INTEGER' },
  { name: 'id', type: 'UUID' },
  { name: 'type', type: 'VARCHAR' },
  /** The version of the type that `data` is in: the newest one when it was exported. */
  { name: 'version', type: 'INTEGER' },
  /** Milliseconds, UTC. */
  { name: 'recorded_at', type: 'TIMESTAMP' },
  { name: 'org_id', type: 'VARCHAR' },
  /** On events of jobs and their credits the id of the job. */
  { name: 'correlation_id', type: 'VARCHAR' },
  { name: 'causation_id', type: 'VARCHAR' },
  { name: 'traceparent', type: 'VARCHAR' },
  /** JSON. */
  { name: 'data', type: 'VARCHAR' },
] as const

export const columnNames: string = eventColumns.map(({ name }) => name).join(', ')

/** Of the lines that Parquet files are made of: times are milliseconds since 1970. */
const lineType = (type: string): string => (type === 'TIMESTAMP' ? 'BIGINT' : type)

/** For DuckDB's `read_json`. */
export const lineColumns = `{${eventColumns.map(({ name, type }) => `${name}: '${lineType(type)}'`).join(', ')}}`

/** What a line's columns are as columns of `events`. */
export const columnsOfLine: string = eventColumns
  .map(({ name, type }) => (type === 'TIMESTAMP' ? `epoch_ms(${name}) AS ${name}` : name))
  .join(', ')
