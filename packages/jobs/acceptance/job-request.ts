import type { EventData } from '#contracts/generated/events.ts'
import { sha256 } from '#packages/ports/ids.ts'

/** A caller's request as accepted: defaults filled in, the URL in canonical spelling. */
export type JobRequest = Pick<
  EventData['JobRequested'],
  'kind' | 'url' | 'mode' | 'lang' | 'prompt' | 'schema' | 'options'
>

const json = (value: string | null): string => JSON.stringify(value)

/** JSON that is the same for equal values: keys sorted, nothing else changed. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const record = value as Record<string, unknown>
  const names = Object.keys(record).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(record[name])}`).join(',')}}`
}

/** Equal for requests for the same thing. Unused options are left out, so that older requests keep their hash. */
export function requestHashOf({ kind, lang, mode, options, prompt, schema, url }: JobRequest): string {
  const asked = Object.entries(options).filter(([, isAsked]) => isAsked)
  const shown = asked.length === 0 ? '' : `"options":${canonicalJson(Object.fromEntries(asked))},`
  // Fast path: the canonical JSON of the whole, with its known names.
  const before = `{"kind":${json(kind)},"lang":${json(lang)},"mode":${json(mode)},${shown}`
  return sha256(`${before}"prompt":${json(prompt)},"schema":${canonicalJson(schema)},"url":${json(url)}}`)
}
