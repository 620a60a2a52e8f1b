import type { ReadStream } from './setting.ts'

/** The outcome of a call in the format of the recordings: `5n`, `<undefined>`, errors by their fields. */
export function seen(value: unknown): unknown {
  if (value === undefined) return '<undefined>'
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return { $Date: value.toISOString() }
  if (value instanceof Uint8Array)
    return { $bytes: value.constructor.name, length: value.length, hex: Buffer.from(value).toString('hex') }
  if (value instanceof Error) return seenError(value)
  if (Array.isArray(value)) return value.map(seen)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, seen(field)]))
}

function seenError(error: Error & { _raw?: { code: number; details: string } | null }): unknown {
  const { _raw: raw, ...fields } = error
  return {
    $errorClass: error.constructor.name,
    name: error.name,
    isErrorInstance: true,
    ...(Object.keys(fields).length > 0 && (seen(fields) as object)),
    message: error.message,
    ...(raw && { rawCode: raw.code, rawDetails: raw.details }),
  }
}

export const ok = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ ok: seen(value) }),
    (error: unknown) => ({ threw: seen(error) }),
  )

/** The revisions that a read returned, or how many events it returned before its error. */
export async function revisions(begin: () => ReadStream): Promise<unknown> {
  const revs: unknown[] = []
  try {
    for await (const { event } of begin()) revs.push(seen(event?.revision))
  } catch (error) {
    return { countBeforeError: revs.length, threw: seen(error) }
  }
  return { count: revs.length, revs }
}

export const brief = ({ event, commitPosition }: { event?: unknown; commitPosition?: unknown }): unknown => {
  const { streamId, revision, type, position } = event as Record<string, unknown> & { position: { commit: bigint } }
  return seen({ s: streamId, r: revision, t: type, p: position.commit, cp: commitPosition })
}

const positionNames = new Set(['commit', 'prepare', 'p', 'cp', 'c', 'commitPosition', 'metastreamRevision'])
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Replaces values that differ from run to run. Positions become numbers in the order of their first appearance, so
 * positions that are equal in the recordings must be equal here. Times and ids become words.
 */
export class Normalized {
  readonly #positions = new Map<string, string>()

  of(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return this.#text(value, name)
    if (Array.isArray(value)) {
      // An entry of a timeline: milliseconds, what happened, and sometimes the id of a subscription.
      const timed = typeof value[0] === 'number' && typeof value[1] === 'string'
      return (timed ? value.slice(1) : value).map((item) => this.of(item, name))
    }
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).filter(([field]) => field !== 'ms')
    return Object.fromEntries(fields.map(([field, item]) => [field, this.of(item, field)]))
  }

  #text(value: string, name: string): string {
    if (name === '$Date') return 'a date'
    if (uuid.test(value)) return 'an id'
    if (!positionNames.has(name) || !/^\d+n$/.test(value)) return value
    const known = this.#positions.get(value) ?? `position ${this.#positions.size}`
    this.#positions.set(value, known)
    return known
  }
}
