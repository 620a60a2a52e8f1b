/** How long requests and answers together may use one turn of the event loop, milliseconds. */
const SHARE_MS = 20

/**
 * Whose work it is. Each rank gets as much of a turn as the others: operators' probes (`/health`, `/ready`), callers
 * whose key or session is known, and everybody else, however many addresses they have.
 */
export type Rank = (typeof ranks)[number]

const ranks = ['probes', 'known', 'anonymous'] as const

/** Who takes turns with the others of the rank: an organization, a person with a session, or a remote address. */
export type Client = { rank: Rank; name: string }

type Work = () => void

/** The work of one client, first in, first out. */
type Queue = { sending: Work[]; beginning: Work[] }

/** The queues of one rank's clients, each in its turn. */
class ClientQueues {
  readonly #queues = new Map<string, Queue>()

  add(name: string, kind: keyof Queue, work: Work): void {
    const known = this.#queues.get(name)
    if (known === undefined) this.#queues.set(name, { sending: [], beginning: [], [kind]: [work] })
    else known[kind].push(work)
  }

  /** The next work of the client whose turn it is. What is sent makes room: it comes before what begins. */
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
 * Gives the work of requests its share of each turn of the event loop: a thousand requests or answers at once leave time
 * for everything else. Ranks take turns, and within a rank its clients do.
 */
export class RequestScheduler {
  readonly #queues: Record<Rank, ClientQueues> = {
    probes: new ClientQueues(),
    known: new ClientQueues(),
    anonymous: new ClientQueues(),
  }
  /** The rank whose turn is next comes first. */
  readonly #order: Rank[] = [...ranks]
  #waiting = 0
  /** Whether `tick` runs in each turn. */
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

  /** Runs once in each turn of the event loop, before the work of that turn. */
  readonly #tick = (): void => {
    this.#until = performance.now() + SHARE_MS
    this.#ticks = this.#waiting > 0
    if (this.#ticks) setImmediate(this.#tick)
  }

  /**
   * One immediate for each waiting work: between two of them Node runs what their promises go on with, so that the clock
   * sees all of it.
   */
  readonly #next = (): void => {
    if (performance.now() >= this.#until) {
      setImmediate(this.#next)
      return
    }
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
