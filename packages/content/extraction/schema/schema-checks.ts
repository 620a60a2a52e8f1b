import { LRUCache } from 'lru-cache'
import { ThreadFault, TimedThread } from '#packages/foundation/workers/timed-thread.ts'
import { sha256 } from '#packages/ports/ids.ts'
import { schemaText } from './check-schema.ts'
import type { SchemaVerdict } from './schema-check-worker.ts'
import { SchemaError } from './schema-error.ts'
import type { GivenSchema } from './schema-tree.ts'

/** Too many schemas wait to be checked, of this organization or in total. */
export class SchemaChecksBusyError extends Error {
  readonly code = 'schema_checks_busy'
  constructor() {
    super('too many schemas wait to be checked')
  }
}

export type SchemaChecksOptions = {
  /** How long the check of one schema may take, milliseconds. */
  timeoutMs: number
  /** The most schemas that wait or are being checked. */
  maxWaiting: number
  /** The same limit for one organization, so that others find room. */
  maxWaitingPerOrganization: number
  /** How many verdicts are cached, so that a repeated schema costs nothing. */
  cachedVerdicts: number
}

const defaults: SchemaChecksOptions = {
  timeoutMs: 2000,
  maxWaiting: 64,
  maxWaitingPerOrganization: 4,
  cachedVerdicts: 1000,
}

/** Memory of the thread, MiB. */
const MAX_MEMORY_MIB = 64

/** Checks callers' schemas in a separate thread, so that no other work waits. The first check starts the thread. */
export class SchemaChecks implements AsyncDisposable {
  readonly #options: SchemaChecksOptions
  readonly #thread: TimedThread
  /** By the hash of the schema's JSON. */
  readonly #verdicts: LRUCache<string, { verdict: SchemaVerdict }>
  readonly #waitingOf = new Map<string, number>()
  #waiting = 0

  constructor(options: Partial<SchemaChecksOptions> = {}) {
    this.#options = { ...defaults, ...options }
    const { timeoutMs, cachedVerdicts } = this.#options
    const module = new URL('./schema-check-worker.ts', import.meta.url)
    this.#thread = new TimedThread({ module, timeoutMs, memoryMib: MAX_MEMORY_MIB })
    this.#verdicts = new LRUCache({ max: cachedVerdicts })
  }

  /** @throws SchemaError with the path of the problem, or of too slow a pattern; SchemaChecksBusyError */
  async assertUsable(schema: GivenSchema, organization: string): Promise<void> {
    const text = schemaText(schema)
    const hash = sha256(text)
    const { verdict } = this.#verdicts.get(hash) ?? { verdict: await this.#check(text, organization) }
    // A schema that took too long is not cached: the machine may have been busy.
    this.#verdicts.set(hash, { verdict })
    if (verdict !== null) throw new SchemaError(verdict.path, verdict.message)
  }

  async #check(text: string, organization: string): Promise<SchemaVerdict> {
    const own = this.#waitingOf.get(organization) ?? 0
    const { maxWaiting, maxWaitingPerOrganization } = this.#options
    if (this.#waiting >= maxWaiting || own >= maxWaitingPerOrganization) throw new SchemaChecksBusyError()
    this.#count(organization, 1)
    try {
      return (await this.#thread.ask(text)) as SchemaVerdict
    } catch (error) {
      if (!(error instanceof ThreadFault)) throw error
      const path = Array.isArray(error.progress) ? (error.progress as string[]) : []
      throw new SchemaError(path, 'takes too long to be compiled')
    } finally {
      this.#count(organization, -1)
    }
  }

  #count(organization: string, by: 1 | -1): void {
    this.#waiting += by
    const own = (this.#waitingOf.get(organization) ?? 0) + by
    if (own > 0) this.#waitingOf.set(organization, own)
    else this.#waitingOf.delete(organization)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
