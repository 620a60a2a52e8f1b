import { fitsHost } from './host-pattern.ts'

/** One request that the sandbox answered. */
export type TrafficEntry = {
  host: string
  /** Without the query. */
  path: string
  url: string
  status: number
  /** Bytes of body sent. */
  bytes: number
  /** The user name for the sandbox's proxy, which stands for the exit address of a real proxy. */
  exit: string | undefined
}

/** Selects entries. An omitted field matches all. `host` is a name or `*.name`, `path` the beginning of a path. */
type TrafficFilter = { host?: string; path?: string; exit?: string }

const MAX_ENTRIES = 20_000

/** The requests and answers of the sandbox. Beyond a limit the oldest are dropped. */
export class Traffic {
  readonly #entries: TrafficEntry[] = []

  add(entry: TrafficEntry): void {
    this.#entries.push(entry)
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }

  /** The matching entries, in order of arrival. */
  of({ host, path, exit }: TrafficFilter = {}): TrafficEntry[] {
    return this.#entries.filter(
      (entry) =>
        (host === undefined || fitsHost(host, entry.host)) &&
        (path === undefined || entry.path.startsWith(path)) &&
        (exit === undefined || entry.exit === exit),
    )
  }

  count(filter: TrafficFilter = {}): { requests: number; bytes: number } {
    const entries = this.of(filter)
    return { requests: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) }
  }

  clear(): void {
    this.#entries.length = 0
  }
}
