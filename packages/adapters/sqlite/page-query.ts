import type { Document, PageQuestion, ViewsDefinition } from '#packages/ports/views.ts'

/**
 * The fields of all page indexes, without repeats. They have their own columns, because indexes on the JSON would
 * double the cost of a write. The names come from the definition of the views, never from a caller.
 */
export const pageFieldsOf = ({ collections }: ViewsDefinition): string[] => {
  const indexes = Object.values(collections).flatMap(({ pages = [] }) => pages)
  return [...new Set(indexes.flatMap(({ where, by }) => [...where, by]))]
}

/** The column of a field. */
export const pageColumn = (field: string): string => `of_${field}`

/** The values of these columns. */
export const pageValues = (pageFields: readonly string[], fields: Document): (string | number | null)[] =>
  pageFields.map((field) => asKey(fields[field]))

const asKey = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null

/** The statements that create the page indexes of the table `documents`. */
export const pageIndexStatements = ({ collections }: ViewsDefinition): string[] =>
  Object.entries(collections).flatMap(([collection, { pages = [] }]) =>
    pages.map(({ where, by }) => {
      const name = `${collection}_pages_by_${where.join('_')}`
      const columns = [...where, by].map(pageColumn)
      const complete = columns.map((each) => `${each} IS NOT NULL`).join(' AND ')
      return `CREATE INDEX IF NOT EXISTS ${name} ON documents (${columns.join(', ')}, id)
        WHERE collection = '${collection}' AND ${complete}`
    }),
  )

/** Every combination of one value from each list. */
const combinations = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((made, list) => made.flatMap((one) => list.map((value) => [...one, value])), [[]])

/**
 * A page query in SQL. With IN, SQLite would read and sort all matching rows. So each combination of values is a
 * separate range of the index, read up to the length of a page. Only the rows of the merged page are fetched.
 * @param documents the name of the table
 * @param listed the columns to fetch
 */
export function pageQuery(documents: string, listed: string, collection: string, question: PageQuestion) {
  const { where, by, after, limit } = question
  const fields = Object.keys(where)
  const place = after ?? { by: Number.MAX_SAFE_INTEGER, id: '' }
  const ranges = combinations(Object.values(where))
  const range = `SELECT * FROM (
    SELECT rowid AS row, ${pageColumn(by)} AS place, id AS place_id FROM ${documents}
    WHERE collection = '${collection}' AND ${fields.map((name) => `${pageColumn(name)} = ?`).join(' AND ')}
      AND ${pageColumn(by)} <= ? AND (${pageColumn(by)} < ? OR id < ?)
    ORDER BY place DESC, id DESC LIMIT ?)`
  const sql = `SELECT ${listed}
    FROM (${ranges.map(() => range).join(' UNION ALL ')} ORDER BY place DESC, place_id DESC LIMIT ?) found
    JOIN ${documents} held ON held.rowid = found.row
    ORDER BY place DESC, place_id DESC`
  const parameters = ranges.flatMap((values) => [...values, place.by, place.by, place.id, limit])
  return { sql, parameters: [...parameters, limit] }
}
