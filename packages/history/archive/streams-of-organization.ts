import { sqlText } from './duckdb.ts'
import type { Archive } from './open-archive.ts'

/** The jobs, keys, webhooks, deliveries, batches and watches of an organization in an archive, by their streams: of those that retention took, nothing else tells. */
export async function streamsOfOrganization({ connection }: Archive, orgId: string): Promise<string[]> {
  const found = await connection.runAndReadAll(
    `SELECT DISTINCT stream FROM events WHERE org_id = ${sqlText(orgId)} AND category IN ('job', 'key', 'webhook', 'delivery', 'batch', 'watch') ORDER BY stream`,
  )
  return found.getRows().map(([stream]) => String(stream))
}

/** Whose stream it is; undefined where the archive has none of its events. */
export async function ownerOfStream({ connection }: Archive, stream: string): Promise<string | undefined> {
  const found = await connection.runAndReadAll(`SELECT org_id FROM events WHERE stream = ${sqlText(stream)} LIMIT 1`)
  const [row] = found.getRows()
  return row === undefined ? undefined : String(row[0])
}
