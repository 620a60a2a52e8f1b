import type { StepTask } from '#contracts/generated/messages.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import type { Terms } from '#packages/jobs/acceptance/terms.ts'
import type { SeenJob } from '#packages/jobs/status/job-watch.ts'
import type { Description } from './ingress-node.ts'
import type { Scheduler } from './time/scheduler.ts'

/** A time in which something was delayed, milliseconds since 1970. */
export type Hindrance = { from: number; to: number }

/** One request for a job, and its answer. */
export type Application = {
  orgId: string
  request: JobRequest
  terms: Terms
  idempotencyKey: string | undefined
  node: string
  askedAt: number
  answer?: { at: number; jobId: string } | { at: number; error: string }
}

/** A call about a job. */
export type AboutJob = {
  jobId: string
  /** Of the asker. */
  orgId: string
  /** Whether the job is the asker's, by the answer to the request for it. */
  own: boolean
}

type Asked = AboutJob & { askedAt: number }

/** One answer about a job. */
export type Sighting = Asked & {
  kind: JobRequest['kind']
  /** The ingress that answered, in one of its lives. */
  node: object
  /** The time by the ingress's own clock when it was asked. */
  nodeTime: number
  /** The position of the view of jobs at the time of the question. */
  viewed: number
  answeredAt: number
  seen: SeenJob | undefined
}

/** One answer about a job by its id. */
export type Reading = Omit<Sighting, 'kind' | 'seen'> & { seen: Description | undefined }

/** A request to cancel a job. */
export type Cancellation = Asked & {
  /** Undefined: no answer came. `found`: whether the service knew the job. */
  answer?: { at: number; found: boolean }
}

/** A request to delete the content of a job. */
export type Deletion = Asked & {
  /** The ingress that was asked, in one of its lives, or the operator. */
  node: object
  /** Undefined: no answer came. `refusal`: the code of the error; undefined if the content was deleted. */
  answer?: { at: number; refusal: string | undefined }
}

/** A list of all jobs of an organization. */
export type Listing = { orgId: string; viewed: number; askedAt: number; jobIds: string[] }

/** One request for a batch, and its answer. */
export type BatchAsked = {
  orgId: string
  keyId: string
  idempotencyKey: string | undefined
  /** The URLs of its videos, and their number. */
  urls: readonly string[]
  answer?: { at: number; batchId: string } | { at: number; error: string }
}

export type Entrance = { keyId: string; node: string; askedAt: number; answeredAt: number; accepted: boolean }
export type Revocation = { keyId: string; node: string; answeredAt: number }

/** The record of a run, as an observer outside of the service sees it, and which faults delayed which processes. */
export class Record {
  readonly applications: Application[] = []
  readonly sightings: Sighting[] = []
  readonly readings: Reading[] = []
  readonly cancellations: Cancellation[] = []
  readonly deletions: Deletion[] = []
  readonly listings: Listing[] = []
  readonly batches: BatchAsked[] = []
  /** Batches that their organization has cancelled, or may have cancelled. */
  readonly cancelledBatches = new Set<string>()
  /** When operators began to close organizations. */
  readonly closings: { orgId: string; askedAt: number }[] = []
  readonly entrances: Entrance[] = []
  readonly revocations: Revocation[] = []
  /** Grants that an operator got an answer for. */
  readonly grants: { orgId: string; credits: number }[] = []
  readonly deadLetters: string[] = []
  /** When each stream was removed. */
  readonly removed = new Map<string, number>()
  /** Streams that gave up their first events. */
  readonly truncated = new Set<string>()
  /** Every task that was published, by its name. */
  readonly tasks = new Map<string, StepTask>()
  publications = 0
  /** How often each attempt was worked on, by job, step and attempt. */
  readonly worked = new Map<string, number>()
  /** Violations that were noticed while it ran. */
  readonly violations: string[] = []
  readonly #scheduler: Scheduler
  readonly #ofProcesses = new Map<string, Hindrance[]>()
  readonly #ofJobs = new Map<string, Hindrance[]>()
  readonly #cutOff = new Map<string, number>()

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  /** It may be removed once more. */
  noteRemoved(stream: string): void {
    if (!this.removed.has(stream)) this.removed.set(stream, this.#scheduler.now)
  }

  /** Notes that a process (by the name of its life) is delayed for the next `ms` milliseconds. */
  hinder(life: string, ms: number): Hindrance {
    return add(this.#ofProcesses, processOf(life), this.#scheduler.now, ms)
  }

  hinderJob(jobId: string, ms: number): void {
    add(this.#ofJobs, jobId, this.#scheduler.now, ms)
  }

  /** Calls of these kinds are not answered for a while. */
  cutOff(life: string, kinds: readonly string[], ms: number): void {
    for (const kind of kinds) this.#cutOff.set(`${life} ${kind}`, this.#scheduler.now + ms)
    this.hinder(life, ms)
  }

  isCutOff(life: string, kind: string): boolean {
    return this.#scheduler.now < (this.#cutOff.get(`${life} ${kind}`) ?? 0)
  }

  /** Whether calls of any kind are not answered now. */
  isCutOffAnywhere(life: string): boolean {
    return [...this.#cutOff].some(([key, until]) => key.startsWith(`${life} `) && this.#scheduler.now < until)
  }

  ofProcess(name: string): readonly Hindrance[] {
    return this.#ofProcesses.get(name) ?? []
  }

  ofJob(jobId: string): readonly Hindrance[] {
    return this.#ofJobs.get(jobId) ?? []
  }
}

/** `fetch-2.7` is the seventh life of the process `fetch-2`. */
export const processOf = (life: string): string => life.replace(/\.\d+$/, '')

function add(lists: Map<string, Hindrance[]>, name: string, now: number, ms: number): Hindrance {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  const hindrance = { from: now, to: now + ms }
  list.push(hindrance)
  return hindrance
}

/** How many milliseconds of a span lie in at least one of the hindrances. */
export function hinderedMs(hindrances: readonly Hindrance[], from: number, to: number): number {
  let total = 0
  let end = from
  for (const one of [...hindrances].sort((a, b) => a.from - b.from)) {
    const start = Math.max(one.from, end)
    const stop = Math.min(one.to, to)
    if (stop <= start) continue
    total += stop - start
    end = stop
  }
  return total
}
