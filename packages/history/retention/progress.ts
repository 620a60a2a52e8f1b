import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * In the folder of the archive, among the names that readers of Parquet ignore. If it is lost, the whole archive is
 * searched again.
 */
const PROGRESS = '_retention.json'

/** All jobs that ended before this instant have left the event store, milliseconds since 1970. Undefined: unknown. */
export function readProgress(directory: string): number | undefined {
  const path = join(directory, PROGRESS)
  if (!existsSync(path)) return undefined
  return Date.parse(JSON.parse(readFileSync(path, 'utf8')).endedBefore)
}

export function writeProgress(directory: string, endedBefore: number): void {
  const path = join(directory, PROGRESS)
  writeFileSync(`${path}.new`, `${JSON.stringify({ endedBefore: new Date(endedBefore).toISOString() })}\n`, {
    mode: 0o600,
  })
  renameSync(`${path}.new`, path)
}
