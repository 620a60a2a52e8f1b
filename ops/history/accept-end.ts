import { acceptEventFileEnd } from '#packages/adapters/sqlite/accept-end.ts'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'

/** Accepts an event file that lacks later events, which the service has seen. The service must not run. */
export async function acceptEnd({ data }: { data: DataDirectory }): Promise<boolean> {
  using _lock = lockDataDirectory(data.path)
  const { end, seen } = acceptEventFileEnd(data.events)
  const given = seen !== undefined && seen > end ? `; the ${seen - end} positions after it are given up` : ''
  console.log(`the events end at position ${end}${given}. The views are rebuilt at the next start.`)
  return true
}
