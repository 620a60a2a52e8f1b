import { type Lane, perStep, type Step, steps } from '#packages/domain/job/events.ts'

/** One organization's jobs at one step and lane: the waiting ones, and the published or claimed ones. */
type Organization = { waitingSince: number; waiting: Set<string>; busy: Set<string> }

/** Limits of one step and lane. */
export type Shares = {
  /** The most tasks that may be published and not yet claimed. */
  outstanding: number
  /** The most steps of one organization that may be published or claimed. */
  perOrganization: number
}

/** The fraction of an organization's share that its batches may take, in addition to its single jobs. */
const BULK_PART = 0.5

/**
 * Due steps of one kind and lane that have not been issued. Organizations take turns and have a bounded share of the
 * slots. So one customer's thousand jobs, or its slow ones, do not make other jobs time out.
 */
class FairQueue {
  /** Organizations with waiting jobs, in the order of their turns: longest wait first. */
  readonly #turns = new Map<string, Organization>()
  readonly #organizations = new Map<string, Organization>()
  readonly #issued = new Set<string>()
  readonly #shares: Shares
  readonly #part: number

  /** @param part the fraction of an organization's share that it may use here */
  constructor(shares: Shares, part: number) {
    this.#shares = shares
    this.#part = part
  }

  offer(orgId: string, jobId: string, now: number): void {
    if (this.#issued.has(jobId)) return
    const organization = this.#organization(orgId)
    organization.busy.delete(jobId)
    organization.waiting.add(jobId)
    if (this.#turns.has(orgId)) return
    organization.waitingSince = now
    this.#turns.set(orgId, organization)
  }

  /** A worker has claimed the job, so it counts into its organization's share. */
  hold(orgId: string, jobId: string): void {
    this.#organization(orgId).busy.add(jobId)
  }

  withdraw(orgId: string, jobId: string): void {
    const organization = this.#organizations.get(orgId)
    if (organization === undefined) return
    this.#issued.delete(jobId)
    organization.busy.delete(jobId)
    organization.waiting.delete(jobId)
    if (organization.waiting.size > 0) return
    this.#turns.delete(orgId)
    if (organization.busy.size === 0) this.#organizations.delete(orgId)
  }

  /** Issues the next job; undefined if none waits or none may be issued. */
  issue(now: number): string | undefined {
    if (this.#issued.size >= this.#shares.outstanding) return undefined
    const [orgId, organization] = this.#next() ?? []
    const [jobId] = organization?.waiting ?? []
    if (orgId === undefined || organization === undefined || jobId === undefined) return undefined
    organization.waiting.delete(jobId)
    organization.busy.add(jobId)
    organization.waitingSince = now
    this.#turns.delete(orgId)
    if (organization.waiting.size > 0) this.#turns.set(orgId, organization)
    this.#issued.add(jobId)
    return jobId
  }

  /** When the next organization in turn began to wait. Organizations with a full share do not count. */
  get oldestTurn(): number | null {
    const [, organization] = this.#next() ?? []
    return organization?.waitingSince ?? null
  }

  /** The loop is short: it skips only organizations with a full share, and a few of those fill all slots. */
  #next(): [string, Organization] | undefined {
    const most = Math.max(1, Math.floor(this.#shares.perOrganization * this.#part))
    for (const turn of this.#turns) if (turn[1].busy.size < most) return turn
    return undefined
  }

  #organization(orgId: string): Organization {
    const known = this.#organizations.get(orgId)
    if (known !== undefined) return known
    const organization: Organization = { waitingSince: 0, waiting: new Set(), busy: new Set() }
    this.#organizations.set(orgId, organization)
    return organization
  }
}

/** Jobs with a due, unclaimed step. They wait here, not in the queue, so that organizations take turns. */
export class Backlog {
  readonly #queues: Record<Lane, Record<Step, FairQueue>>
  /** The queue of each job. A job is in one at most, because only one of its steps is due or claimed at a time. */
  readonly #places = new Map<string, FairQueue>()

  constructor(shares: Record<Step, Shares>) {
    const lane = (part = 1) => perStep((step) => new FairQueue(shares[step], part))
    this.#queues = { priority: lane(), standard: lane(), bulk: lane(BULK_PART) }
  }

  offer(step: Step, lane: Lane, orgId: string, jobId: string, now: number): void {
    this.#place(step, lane, orgId, jobId).offer(orgId, jobId, now)
  }

  /** A worker has claimed the job's step. */
  hold(step: Step, lane: Lane, orgId: string, jobId: string): void {
    this.#place(step, lane, orgId, jobId).hold(orgId, jobId)
  }

  /** Removes a job that has moved on or ended, whether it was waiting, issued or claimed. */
  withdraw(orgId: string, jobId: string): void {
    this.#places.get(jobId)?.withdraw(orgId, jobId)
    this.#places.delete(jobId)
  }

  issue(step: Step, lane: Lane, now: number): string | undefined {
    return this.#queues[lane][step].issue(now)
  }

  /** The start of the longest wait of any organization for its turn, at any step of the lane. */
  oldestTurn(lane: Lane): number | null {
    const turns = steps.map((step) => this.#queues[lane][step].oldestTurn).filter((turn) => turn !== null)
    return turns.length === 0 ? null : Math.min(...turns)
  }

  #place(step: Step, lane: Lane, orgId: string, jobId: string): FairQueue {
    const queue = this.#queues[lane][step]
    if (this.#places.get(jobId) === queue) return queue
    this.withdraw(orgId, jobId)
    this.#places.set(jobId, queue)
    return queue
  }
}
