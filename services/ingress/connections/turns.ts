/** How long requests and answers together may use one turn of the event loop, milliseconds. */
const SHARE_MS = 20

/**
 * Whose work it is. Each rank gets as much of a turn as the others: operators' probes (`/health`, `/ready`), callers
 * whose key is known, and everybody else, however many addresses they have.
 */
export type Rank = (typeof ranks)[number]

const ranks = ['probes', 'known', 'strangers'] as const

/** Who takes turns with the others of the rank: an organization, or a remote address. */
export type TurnTaker = { rank: Rank; name: string }

type Work = () => void

/** Work of one taker, first in, first out. */
type Waiting = { leaving: Work[]; beginning: Work[] }

/** The takers of one rank, each in its turn. */
class Takers {
  readonly #waiting = new Map<string, Waiting>()

  add(name: string, kind: keyof Waiting, work: Work): void {
    const known = this.#waiting.get(name)
    if (known === undefined) this.#waiting.set(name, { leaving: [], beginning: [], [kind]: [work] })
    else known[kind].push(work)
  }

  /** The next work of the taker whose turn it is. What leaves makes room: it comes before what begins. */
  next(): Work | undefined {
    for (const [name, waiting] of this.#waiting) {
      const work = waiting.leaving.shift() ?? waiting.beginning.shift()
      this.#waiting.delete(name)
      if (waiting.leaving.length + waiting.beginning.length > 0) this.#waiting.set(name, waiting)
      return work
    }
    return undefined
  }
}

/**
 * Gives the work of requests its share of each turn of the event loop: a thousand requests or answers at once leave time
 * for everything else. Ranks take turns, and within a rank its takers do.
 */
export class Turns {
  readonly #takers: Record<Rank, Takers> = { probes: new Takers(), known: new Takers(), strangers: new Takers() }
  /** The rank whose turn is next comes first. */
  readonly #order: Rank[] = [...ranks]
  #waiting = 0
  /** Whether `tick` runs in each turn. */
  #ticks = false
  /** When the share of this turn is used up, milliseconds. */
  #until = 0

  /** Begins a request when its turn comes. */
  begin(taker: TurnTaker, work: Work): void {
    this.#add(taker, 'beginning', work)
  }

  /** Makes or sends a part of an answer when its turn comes. */
  leave(taker: TurnTaker, work: Work): void {
    this.#add(taker, 'leaving', work)
  }

  #add({ rank, name }: TurnTaker, kind: keyof Waiting, work: Work): void {
    this.#takers[rank].add(name, kind, work)
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
      const work = this.#takers[rank].next()
      if (work !== undefined) return work
    }
    return undefined
  }
}
