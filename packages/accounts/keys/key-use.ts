import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'

type Ports = { views: Views; clock: Clock; log: Logger }
type Note = { lastUsedAt: string }

const noteId = (keyId: string): string => `key-used-${keyId}`
const MINUTE_MS = 60_000

/**
 * Notes when keys were last used, to the minute. Writes at most once a minute for each key. A failed write is ignored.
 */
export class KeyUse {
  readonly #ports: Ports
  readonly #maxNoted: number
  /** Keys already noted in this minute. */
  readonly #noted = new Set<string>()
  #minute = 0
  readonly #writing = new Set<Promise<void>>()

  constructor(ports: Ports, options: { cachedEntries: number }) {
    this.#ports = ports
    this.#maxNoted = options.cachedEntries
  }

  note(keyId: string): void {
    const { views, clock, log } = this.#ports
    const minute = Math.floor(clock.now() / MINUTE_MS)
    if (minute !== this.#minute || this.#noted.size >= this.#maxNoted) this.#noted.clear()
    this.#minute = minute
    if (this.#noted.has(keyId)) return
    this.#noted.add(keyId)
    const lastUsedAt = new Date(minute * MINUTE_MS).toISOString()
    const writing = views
      .putNote(noteId(keyId), { lastUsedAt } satisfies Note)
      .catch((error: unknown) => log.warn({ err: error }, 'the last use of a key was not stored'))
      .finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  /** ISO 8601, by key id. */
  lastUsedAt(keyIds: readonly string[]): Promise<Map<string, string>> {
    return usedAt(this.#ports.views, keyIds)
  }

  /** Resolves once no write is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing)
  }
}

/** ISO 8601, by key id. */
export async function usedAt(views: Views, keyIds: readonly string[]): Promise<Map<string, string>> {
  const notes = await views.getNotes<Note>(keyIds.map(noteId))
  const known = keyIds.map((keyId) => [keyId, notes.get(noteId(keyId))?.lastUsedAt] as const)
  return new Map(known.filter((one): one is readonly [string, string] => one[1] !== undefined))
}

/** The name, in place of a key, for the use of an organization's pages. */
export const dashboardUseOf = (orgId: string): string => `dashboard-${orgId}`
