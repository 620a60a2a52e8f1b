import { sqlText } from './duckdb.ts'
import type { Archive } from './open-archive.ts'

/**
 * The streams of an organization in an archive: its jobs, keys, webhooks, deliveries, batches and watches. Only the
 * archive still knows those that retention has removed from the store.
 */
export async function streamsOfOrganization({ connection }: Archive, orgId: string): Promise<string[]> {
  const found = await connection.runAndReadAll(
    `SELECT DISTINCT stream FROM events WHERE org_id = ${sqlText(orgId)} AND category IN ('job', 'key', 'webhook', 'delivery', 'batch', 'watch') ORDER BY stream`,
  )
  return found.getRows().map(([stream]) => String(stream))
}

/** The organization of a stream. Undefined if the archive has none of its events. */
export async function ownerOfStream({ connection }: Archive, stream: string): Promise<string | undefined> {
  const found = await connection.runAndReadAll(`SELECT org_id FROM events WHERE stream = ${sqlText(stream)} LIMIT 1`)
  const [row] = found.getRows()
  return row === undefined ? undefined : String(row[0])
}
