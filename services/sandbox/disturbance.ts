import { fitsHost } from './host-pattern.ts'
import type { SandboxAnswer, SandboxRequest } from './site.ts'

/** A fault of the outside world that a test orders. */
export type Disturbance = {
  /** A name, or `*.name` for any below. */
  host: string
  /** The beginning of the paths concerned. Default: all. */
  path?: string
  /** Only for requests that came through the proxy under this user name. Default: all. */
  exit?: string
  /** How many requests are disturbed. Default: all until it is disposed of. */
  times?: number
  how:
    | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string | object }
    /** Never answers; the connection stays open. */
    | { kind: 'hang' }
    /** Announces the whole body, sends this many bytes of it and cuts the connection. */
    | { kind: 'cut'; afterBytes: number }
    /** The answer's JSON (or the data of its page) without a field: `a.b.c`, `*` for each element of an array or object. */
    | { kind: 'without'; field: string }
}

/** The outcome after the disturbances. */
export type Disturbed = { kind: 'answer'; answer: SandboxAnswer; cutAfter?: number } | { kind: 'hang' }

/** Keeps the disturbances that were ordered. */
export class Disturbances {
  readonly #ordered = new Set<{ order: Disturbance; left: number }>()

  /** Begins a disturbance, which ends when it is disposed of. */
  order(order: Disturbance): Disposable {
    const kept = { order, left: order.times ?? Number.POSITIVE_INFINITY }
    this.#ordered.add(kept)
    return { [Symbol.dispose]: () => void this.#ordered.delete(kept) }
  }

  /** Applies the disturbances that concern a request. `answer` is called only where none replaces its result. */
  async apply(request: SandboxRequest, answer: () => Promise<SandboxAnswer>): Promise<Disturbed> {
    const hows = this.#take(request)
    if (hows.some(({ kind }) => kind === 'hang')) return { kind: 'hang' }
    const instead = hows.find((how) => how.kind === 'answer')
    if (instead) return { kind: 'answer', answer: { headers: {}, ...instead } }
    let result = await answer()
    for (const how of hows) if (how.kind === 'without') result = withoutField(result, how.field.split('.'))
    const cut = hows.find((how) => how.kind === 'cut')
    return { kind: 'answer', answer: result, ...(cut && { cutAfter: cut.afterBytes }) }
  }

  #take({ url, exit }: SandboxRequest): Disturbance['how'][] {
    const concerned = [...this.#ordered].filter(
      ({ order, left }) =>
        left > 0 &&
        fitsHost(order.host, url.hostname) &&
        url.pathname.startsWith(order.path ?? '') &&
        (order.exit === undefined || order.exit === exit),
    )
    for (const kept of concerned) kept.left -= 1
    return concerned.map(({ order }) => order.how)
  }
}

function withoutField(answer: SandboxAnswer, field: string[]): SandboxAnswer {
  if (answer.page) {
    const data = structuredClone(answer.page.data)
    remove(data, field)
    return { ...answer, page: { ...answer.page, data } }
  }
  if (typeof answer.body !== 'object' || Buffer.isBuffer(answer.body)) return answer
  const body = structuredClone(answer.body)
  remove(body, field)
  return { ...answer, body }
}

function remove(value: unknown, [key = '', ...rest]: string[]): void {
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  const keys = key === '*' ? Object.keys(record) : key in record ? [key] : []
  for (const name of keys) {
    if (rest.length === 0) delete record[name]
    else remove(record[name], rest)
  }
}
