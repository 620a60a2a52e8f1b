import type { Plan } from '#packages/domain/credits/plans.ts'
import { job } from '#packages/domain/job/job.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import {
  type Attempt,
  attemptsOf,
  type NobodyRan,
  type TimeSpent,
  timeSpent,
} from '#packages/history/questions/attempts.ts'
import { RunningWorkers } from '#packages/history/questions/nobody-ran.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** The facts from which the sums in this folder are computed, without SQL. Instants and durations are milliseconds. */
export type Facts = {
  /** The time of the last event. */
  now: number
  events: readonly StoredEvent[]
  ledgers: ReadonlyMap<string, readonly StoredEvent[]>
  jobs: readonly JobFacts[]
  nobodyRan: NobodyRan
}

export type JobFacts = {
  jobId: string
  orgId: string
  events: readonly StoredEvent[]
  request: (StoredEvent & { type: 'JobRequested' }) | undefined
  debit: StoredEvent & { type: 'CreditsDebited' }
  settlement: (StoredEvent & { type: 'CreditsSettled' }) | undefined
  status: 'open' | 'completed' | 'failed'
  code: string | null
  endedAt: number | null
  attempts: readonly Attempt[]
  spent: TimeSpent
}

export function factsOf(events: readonly StoredEvent[]): Facts {
  const now = Math.max(...events.map(({ recordedAt }) => recordedAt))
  const ofKind = (prefix: string): Map<string, StoredEvent[]> =>
    Map.groupBy(
      events.filter(({ stream }) => stream.startsWith(prefix)),
      ({ stream }) => stream.slice(prefix.length),
    )
  const debits = byJob(events.filter((event) => event.type === 'CreditsDebited'))
  const settlements = byJob(events.filter((event) => event.type === 'CreditsSettled'))
  const nobodyRan = nobodyRanIn(events)
  const jobs = [...ofKind('job-')].map(([jobId, own]): JobFacts => {
    const state = fold(job, own)
    const debit = debits.get(jobId)
    const [first] = own
    if (state.status === 'none' && first?.type !== 'JobFailed') throw new Error(`${jobId} was not requested`)
    if (debit === undefined || first === undefined || state.status === 'none') throw new Error(`${jobId} has no debit`)
    const endedAt = state.status === 'open' ? null : state.endedAt
    const attempts = attemptsOf(own, now)
    return {
      ...{ jobId, orgId: first.metadata.orgId, events: own, debit, attempts, endedAt, status: state.status },
      request: first.type === 'JobRequested' ? first : undefined,
      settlement: settlements.get(jobId),
      code: state.status === 'failed' ? state.code : null,
      spent: timeSpent(
        attempts,
        first.recordedAt,
        endedAt ?? attempts.at(-1)?.startedAt ?? first.recordedAt,
        nobodyRan,
      ),
    }
  })
  return { now, events, ledgers: ofKind('credits-'), jobs, nobodyRan }
}

const byJob = <Event extends { data: { jobId: string } }>(events: readonly Event[]): Map<string, Event> =>
  new Map(events.map((event) => [event.data.jobId, event]))

/** The times without any worker, as the events show them. */
export function nobodyRanIn(events: readonly StoredEvent[]): NobodyRan {
  const instants = events.map(({ recordedAt }) => recordedAt)
  const workers = new RunningWorkers(Math.min(...instants))
  for (const event of events) if (event.stream.startsWith('job-')) workers.take(event)
  return workers.nobodyRan(Math.max(...instants))
}

export const usdOf: Record<Plan, number> = { free: 0, starter: 9, pro: 29 }

export const monthOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7)
export const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** The months between two, both included. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = []
  for (let month = first; month <= last; month = monthOf(Date.parse(`${month}-01`) + 32 * 86_400_000))
    months.push(month)
  return months
}

export const sum = (numbers: Iterable<number>): number => [...numbers].reduce((one, other) => one + other, 0)

/** A quantile, interpolated between two values if needed. @param share from 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const at = share * (sorted.length - 1)
  const [low = Number.NaN, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return low + (high - low) * (at - Math.floor(at))
}

/** Compares texts by code points, as the SQL does. */
export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Groups by several texts, each a field or computed, and sorts by them. */
export function grouped<T extends object>(
  list: readonly T[],
  ...keys: (keyof T | ((each: T) => string))[]
): { key: string[]; all: T[] }[] {
  const textOf = (each: T, key: (typeof keys)[number]): string =>
    typeof key === 'function' ? key(each) : String(each[key])
  const groups = Map.groupBy(list, (each) => keys.map((key) => textOf(each, key)).join('\n'))
  return [...groups].sort(([one], [other]) => byText(one, other)).map(([key, all]) => ({ key: key.split('\n'), all }))
}

/** The part of these jobs that failed, in percent. */
export const failedPercent = (jobs: readonly JobFacts[]): number =>
  (100 * jobs.filter(({ status }) => status === 'failed').length) / jobs.length
