import type { EventData } from '#contracts/generated/events.ts'
import { sha256 } from '#packages/ports/ids.ts'

/** What a caller asks for, as it was accepted: defaults filled in, the URL in its canonical spelling. */
export type JobRequest = Pick<EventData['JobRequested'], 'kind' | 'url' | 'mode' | 'lang' | 'prompt' | 'schema'>

/** JSON that is the same for equal values: keys sorted, nothing else changed. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const record = value as Record<string, unknown>
  const names = Object.keys(record).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(record[name])}`).join(',')}}`
}

/** Equal for two requests that ask for the same. */
export const requestHashOf = (request: JobRequest): string => sha256(canonicalJson(request))
