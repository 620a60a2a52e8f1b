import type { Logger } from '#packages/telemetry/log.ts'
import type { RequestContext } from '../requests/request-context.ts'

const MINUTE_MS = 60_000

/** Lines in a minute about requests that count against no organization, and about those refused by a rate. */
const LINES_OF_ONE = 60
const LINES_OF_ALL = 1000

/** What a line is asked for: about whom, and the status of the answer. */
type Asked = { context: RequestContext; status: number }

/**
 * Says which requests get a line in the log. What counts against an organization is limited by its rates. Of everything
 * else anybody may send as much as they like: there each address or organization gets so many lines in a minute, all of them
 * together too, and at its end one line counts the others. So this never holds more names than lines, either.
 */
export class RequestLines implements Disposable {
  readonly #log: Logger
  readonly #written = new Map<string, number>()
  #inAll = 0
  #left = 0
  #minute: NodeJS.Timeout | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** Whether there may be a line; counted where there may not. */
  allows({ context: { orgId, caller, address, route }, status }: Asked): boolean {
    if (route === '/health') return false
    if (orgId !== undefined && status !== 429) return true
    const name = orgId ?? caller?.orgId ?? address
    const written = this.#written.get(name) ?? 0
    this.#minute ??= setTimeout(() => this.#end(), MINUTE_MS).unref()
    if (written >= LINES_OF_ONE || this.#inAll >= LINES_OF_ALL) {
      this.#left++
      return false
    }
    this.#written.set(name, written + 1)
    this.#inAll++
    return true
  }

  #end(): void {
    clearTimeout(this.#minute)
    this.#minute = undefined
    if (this.#left > 0)
      this.#log.info({ requests: this.#left }, 'requests of the last minute have no line of their own')
    this.#written.clear()
    this.#inAll = 0
    this.#left = 0
  }

  /** Counts what is left. */
  [Symbol.dispose](): void {
    this.#end()
  }
}
