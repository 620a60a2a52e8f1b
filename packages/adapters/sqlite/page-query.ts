import { type Document, type PageQuestion, pageIndexes } from '#packages/ports/views.ts'

/**
 * The fields of all such indexes have columns of their own: to look for them in the JSON at every write would double
 * what a write costs. The names come from `pageIndexes`, never from a caller.
 */
const pageFields = [
  ...new Set(
    Object.values(pageIndexes)
      .flat()
      .flatMap(({ where, by }) => [...where, by]),
  ),
]
const column = (field: string): string => `of_${field}`

/** The names of these columns. */
export const pageColumns = pageFields.map(column)

/** What stands in them. */
export const pageValues = (fields: Document): (string | number | null)[] =>
  pageFields.map((field) => asKey(fields[field]))

const asKey = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null

/** What makes pages of the table `documents` cheap. */
export const pageIndexStatements = (): string[] =>
  Object.entries(pageIndexes).flatMap(([collection, indexes]) =>
    indexes.map(({ where, by }) => {
      const name = `${collection}_pages_by_${where.join('_')}`
      const columns = [...where, by].map(column)
      const complete = columns.map((each) => `${each} IS NOT NULL`).join(' AND ')
      return `CREATE INDEX IF NOT EXISTS ${name} ON documents (${columns.join(', ')}, id)
        WHERE collection = '${collection}' AND ${complete}`
    }),
  )

/** Every way to take one value of each list. */
const combinations = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((made, list) => made.flatMap((one) => list.map((value) => [...one, value])), [[]])

/**
 * A page in SQL. SQLite would read and sort everything that an IN allows; so each combination of values is a range of
 * the index of its own, read no further than the page is long, and only what is left of them is fetched.
 * @param documents the table
 * @param listed the columns that are fetched
 */
export function pageQuery(documents: string, listed: string, collection: string, question: PageQuestion) {
  const { where, by, after, limit } = question
  const fields = Object.keys(where)
  const place = after ?? { by: Number.MAX_SAFE_INTEGER, id: '' }
  const ranges = combinations(Object.values(where))
  const range = `SELECT * FROM (
    SELECT rowid AS row, ${column(by)} AS place, id AS place_id FROM ${documents}
    WHERE collection = '${collection}' AND ${fields.map((name) => `${column(name)} = ?`).join(' AND ')}
      AND ${column(by)} <= ? AND (${column(by)} < ? OR id < ?)
    ORDER BY place DESC, id DESC LIMIT ?)`
  const sql = `SELECT ${listed}
    FROM (${ranges.map(() => range).join(' UNION ALL ')} ORDER BY place DESC, place_id DESC LIMIT ?) found
    JOIN ${documents} held ON held.rowid = found.row
    ORDER BY place DESC, place_id DESC`
  const parameters = ranges.flatMap((values) => [...values, place.by, place.by, place.id, limit])
  return { sql, parameters: [...parameters, limit] }
}
