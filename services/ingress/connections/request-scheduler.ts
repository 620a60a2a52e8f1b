/**
 * How long requests and answers together may use one turn of the event loop, milliseconds. Short, because an accept
 * crosses several turns, and because Node accepts few connections in each.
 */
const SHARE_MS = 3

/** The most pieces of work that begin in one turn. More than fit into the share, without a callback for each that waits. */
const MOST_PIECES = 100

/**
 * Groups of clients with equal shares of a turn: operators' probes (`/health`, `/ready`), callers with a known key or
 * session, and all other callers, however many addresses they have.
 */
export type Rank = (typeof ranks)[number]

const ranks = ['probes', 'known', 'anonymous'] as const

/** The client within the rank: an organization, a person with a session, or a remote address. */
export type Client = { rank: Rank; name: string }

type Work = () => void

/** The work of one client, first in, first out. */
type Queue = { sending: Work[]; beginning: Work[] }

/** The queues of one rank's clients, which take turns. */
class ClientQueues {
  readonly #queues = new Map<string, Queue>()

  add(name: string, kind: keyof Queue, work: Work): void {
    const known = this.#queues.get(name)
    if (known === undefined) this.#queues.set(name, { sending: [], beginning: [], [kind]: [work] })
    else known[kind].push(work)
  }

  /** The next work of the client in turn. Sending comes before beginning, because it frees memory. */
  next(): Work | undefined {
    for (const [name, queue] of this.#queues) {
      const work = queue.sending.shift() ?? queue.beginning.shift()
      this.#queues.delete(name)
      if (queue.sending.length + queue.beginning.length > 0) this.#queues.set(name, queue)
      return work
    }
    return undefined
  }
}

/**
 * Bounds the work of requests in each turn of the event loop, so that a thousand requests or answers at once leave time
 * for everything else. Ranks take turns, and so do the clients within a rank.
 */
export class RequestScheduler {
  readonly #queues: Record<Rank, ClientQueues> = {
    probes: new ClientQueues(),
    known: new ClientQueues(),
    anonymous: new ClientQueues(),
  }
  /** The next rank in turn comes first. */
  readonly #order: Rank[] = [...ranks]
  #waiting = 0
  /** True while `tick` runs in each turn. */
  #ticks = false
  /** When the share of this turn is used up, milliseconds. */
  #until = 0

  /** Begins a request when its turn comes. */
  begin(client: Client, work: Work): void {
    this.#add(client, 'beginning', work)
  }

  /** Makes or sends a part of an answer when its turn comes. */
  send(client: Client, work: Work): void {
    this.#add(client, 'sending', work)
  }

  #add({ rank, name }: Client, kind: keyof Queue, work: Work): void {
    this.#queues[rank].add(name, kind, work)
    this.#waiting++
    if (!this.#ticks) setImmediate(this.#tick)
    this.#ticks = true
    setImmediate(this.#next)
  }

  /** Runs once in each turn of the event loop, before the work of that turn. What did not fit is tried in the next. */
  readonly #tick = (): void => {
    this.#until = performance.now() + SHARE_MS
    this.#ticks = this.#waiting > 0
    if (!this.#ticks) return
    setImmediate(this.#tick)
    for (let n = Math.min(this.#waiting, MOST_PIECES); n > 0; n--) setImmediate(this.#next)
  }

  /**
   * Uses one immediate per piece of work. Between two immediates Node runs the promise callbacks of the first, so the
   * clock includes their time.
   */
  readonly #next = (): void => {
    if (this.#waiting === 0 || performance.now() >= this.#until) return
    this.#waiting--
    this.#take()?.()
  }

  #take(): Work | undefined {
    for (const _ of ranks) {
      const rank = this.#order.shift() ?? 'probes'
      this.#order.push(rank)
      const work = this.#queues[rank].next()
      if (work !== undefined) return work
    }
    return undefined
  }
}
