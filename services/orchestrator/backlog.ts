import type { Lane, Step } from '#packages/ports/work-queue.ts'

export const steps: readonly Step[] = ['fetch', 'caption', 'speech-to-text', 'extract']
export const lanes: readonly Lane[] = ['priority', 'standard']

/** The jobs of one organization that wait, and since when it has waited for its turn. */
type Waiting = { since: number; jobs: Set<string> }

/**
 * Due steps of one kind and lane that have not been issued. Organizations take turns, so that one customer's thousand
 * jobs do not time everyone else's out.
 */
class FairQueue {
  /** In the order of their turns: who has waited longest comes first. */
  readonly #organizations = new Map<string, Waiting>()
  readonly #issued = new Set<string>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  offer(orgId: string, jobId: string, now: number): void {
    if (this.#issued.has(jobId)) return
    const waiting = this.#organizations.get(orgId)
    if (waiting === undefined) this.#organizations.set(orgId, { since: now, jobs: new Set([jobId]) })
    else waiting.jobs.add(jobId)
  }

  withdraw(orgId: string, jobId: string): void {
    this.#issued.delete(jobId)
    const waiting = this.#organizations.get(orgId)
    waiting?.jobs.delete(jobId)
    if (waiting?.jobs.size === 0) this.#organizations.delete(orgId)
  }

  /** The next job to be issued, if one waits and there is room among those that are out. */
  issue(now: number): string | undefined {
    if (this.#issued.size >= this.#capacity) return undefined
    const [first] = this.#organizations
    if (first === undefined) return undefined
    const [orgId, { jobs }] = first
    const [jobId] = jobs
    this.#organizations.delete(orgId)
    if (jobId === undefined) return undefined
    jobs.delete(jobId)
    if (jobs.size > 0) this.#organizations.set(orgId, { since: now, jobs })
    this.#issued.add(jobId)
    return jobId
  }

  get oldestTurn(): number | null {
    const [first] = this.#organizations.values()
    return first?.since ?? null
  }
}

/** What is due and not yet in a worker's hands: held here, and not in the queue, so that it can be shared out fairly. */
export class Backlog {
  readonly #queues = new Map<string, FairQueue>()

  /** @param capacity tasks of one step and lane that may be published and not yet claimed */
  constructor(capacity: Record<Step, number>) {
    for (const step of steps)
      for (const lane of lanes) this.#queues.set(`${step}.${lane}`, new FairQueue(capacity[step]))
  }

  offer(step: Step, lane: Lane, orgId: string, jobId: string, now: number): void {
    this.#queue(step, lane).offer(orgId, jobId, now)
  }

  /** Forgets a job, waiting or issued: it was claimed, has moved on, or ended. */
  withdraw(orgId: string, jobId: string): void {
    for (const queue of this.#queues.values()) queue.withdraw(orgId, jobId)
  }

  issue(step: Step, lane: Lane, now: number): string | undefined {
    return this.#queue(step, lane).issue(now)
  }

  /** Since when the waiting organization longest without a turn has waited, in any step of the lane. */
  oldestTurn(lane: Lane): number | null {
    const turns = steps.map((step) => this.#queue(step, lane).oldestTurn).filter((turn) => turn !== null)
    return turns.length === 0 ? null : Math.min(...turns)
  }

  #queue(step: Step, lane: Lane): FairQueue {
    return this.#queues.get(`${step}.${lane}`) as FairQueue
  }
}
