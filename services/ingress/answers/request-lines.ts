import type { Logger } from '#packages/telemetry/log.ts'
import type { RequestContext } from '../requests/request-context.ts'

const MINUTE_MS = 60_000

/** The most log lines per minute about requests outside an organization's rates, or refused by a rate. */
const LINES_OF_ONE = 60
const LINES_OF_ALL = 1000

/** The request to log, and the status of its answer. */
type Asked = { context: RequestContext; status: number }

/**
 * Decides which requests get a line in the log. Rates limit the requests of an organization. All other requests are
 * unlimited, so each address or organization gets a fixed number of lines per minute, and so do all together. At the
 * end of the minute one line counts the others. This also bounds the number of names in memory.
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

  /** True if the request gets a line. Otherwise the request is counted. */
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

  /** Logs the count of the last minute. */
  [Symbol.dispose](): void {
    this.#end()
  }
}
