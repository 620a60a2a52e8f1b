import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fitsHost } from './host-pattern.ts'
import type { SandboxAnswer, SandboxRequest } from './site.ts'

/** A fault of the outside world that a test or an operator orders. */
export type Disturbance = {
  /** A name, or `*.name` for any name below it. */
  host: string
  /** The beginning of the affected paths. Default: all paths. */
  path?: string
  /** Only for requests that came through the proxy under this user name. Default: all. */
  exit?: string
  /** How many requests are disturbed. Default: all until it is disposed of. */
  times?: number
  how:
    | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string | object }
    /** Never answers; the connection stays open. */
    | { kind: 'hang' }
    /** Delays the answer by this time, but at most until the disturbance ends. */
    | { kind: 'slow'; seconds: number }
    /** Announces the whole body, sends this many bytes of it and cuts the connection. */
    | { kind: 'cut'; afterBytes: number }
    /**
     * Removes a field from the answer's JSON or from the data of its page: `a.b.c`, `*` for each element of an array or
     * object.
     */
    | { kind: 'without'; field: string }
}

/** The outcome after the disturbances. */
export type Disturbed = { kind: 'answer'; answer: SandboxAnswer; cutAfter?: number } | { kind: 'hang' }

type Kept = { order: Disturbance; left: number; over: AbortController }

/** The active disturbances. */
export class Disturbances {
  readonly #ordered = new Set<Kept>()

  /** Begins a disturbance, which ends when it is disposed of. */
  order(order: Disturbance): Disposable {
    const kept = { order, left: order.times ?? Number.POSITIVE_INFINITY, over: new AbortController() }
    this.#ordered.add(kept)
    return {
      [Symbol.dispose]: () => {
        this.#ordered.delete(kept)
        kept.over.abort()
      },
    }
  }

  /** Begins a disturbance, which ends when the connection that ordered it is closed. */
  orderUntilClosed(order: Disturbance, response: ServerResponse): void {
    const ordered = this.order(order)
    response.once('close', () => ordered[Symbol.dispose]())
    response.writeHead(200).flushHeaders()
  }

  /** Applies the disturbances that match a request. `answer` is called only if no disturbance replaces its result. */
  async apply(request: SandboxRequest, answer: () => Promise<SandboxAnswer>): Promise<Disturbed> {
    const taken = this.#take(request)
    const hows = taken.map(({ order }) => order.how)
    if (hows.some(({ kind }) => kind === 'hang')) return { kind: 'hang' }
    await Promise.all(taken.map(waitFor))
    const instead = hows.find((how) => how.kind === 'answer')
    if (instead) return { kind: 'answer', answer: { headers: {}, ...instead } }
    let result = await answer()
    for (const how of hows) if (how.kind === 'without') result = withoutField(result, how.field.split('.'))
    const cut = hows.find((how) => how.kind === 'cut')
    return { kind: 'answer', answer: result, ...(cut && { cutAfter: cut.afterBytes }) }
  }

  #take({ url, exit }: SandboxRequest): Kept[] {
    const concerned = [...this.#ordered].filter(
      ({ order, left }) =>
        left > 0 &&
        fitsHost(order.host, url.hostname) &&
        url.pathname.startsWith(order.path ?? '') &&
        (order.exit === undefined || order.exit === exit),
    )
    for (const kept of concerned) kept.left -= 1
    return concerned
  }
}

async function waitFor({ order: { how }, over }: Kept): Promise<void> {
  // The delay ends early if the disturbance ends.
  if (how.kind === 'slow') await sleep(how.seconds * 1000, undefined, { signal: over.signal }).catch(() => undefined)
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
