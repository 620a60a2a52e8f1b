/** The answers to the questions about surfaces, hosts, refusals and waits, computed from the events without SQL. */

import type { Sums } from './business-sums.fixture.ts'
import { byText, failedPercent, grouped, monthOf, sum } from './facts.fixture.ts'

const surfaces: Sums = ({ jobs }) =>
  grouped(
    jobs.filter(({ request }) => request !== undefined),
    ({ request }) => monthOf(request?.recordedAt ?? 0),
    ({ request }) => request?.data.surface ?? '',
  )
    .map(({ key: [month = '', surface = ''], all }) => ({
      ...{ month, surface, jobs: all.length },
      failed_percent: failedPercent(all),
      charged: sum(all.map(({ settlement }) => settlement?.data.charged ?? 0)),
    }))
    .sort((one, other) => byText(one.month, other.month) || other.jobs - one.jobs || byText(one.surface, other.surface))

const hosts: Sums = ({ jobs }) =>
  grouped(
    jobs.filter(({ request, status }) => request !== undefined && status !== 'open'),
    ({ request }) => new URL(request?.data.url ?? '').hostname,
    ({ debit }) => debit.data.platform ?? '',
  )
    .map(({ key: [host = '', platform = ''], all }) => ({
      ...{ host, platform, jobs: all.length },
      failed_percent: failedPercent(all),
      refusals: all
        .flatMap(({ events }) => events)
        .filter(({ type, data }) => (type === 'StepFailed' || type === 'JobFailed') && data.code === 'platform_blocked')
        .length,
    }))
    .sort((one, other) => other.refusals - one.refusals || other.jobs - one.jobs || byText(one.host, other.host))

const refusals: Sums = ({ events }) => {
  const counted = events.flatMap((event) => {
    if (event.type !== 'RequestsCounted') return []
    const { reads, refused } = event.data
    const ofKind = (counts: Record<string, number>, isRefused: boolean) =>
      Object.entries(counts).map(([what, requests]) => ({ orgId: event.metadata.orgId, what, requests, isRefused }))
    return [...ofKind(reads, false), ...ofKind(refused, true)]
  })
  const total = sum(counted.map(({ requests }) => requests))
  const refused = counted.filter(({ isRefused }) => isRefused)
  return grouped(refused, 'what')
    .map(({ key: [code = ''], all }) => {
      const customers = grouped(all, 'orgId').map(({ key: [orgId = ''], all: own }) => ({
        ...{ orgId, requests: sum(own.map(({ requests }) => requests)) },
      }))
      const most = customers.reduce((one, other) => (other.requests > one.requests ? other : one))
      const requests = sum(all.map((each) => each.requests))
      return {
        ...{ code, requests, percent: (100 * requests) / total, customers: customers.length },
        ...{ most_of_one: most.requests, by_whom: most.orgId },
      }
    })
    .sort((one, other) => other.requests - one.requests || byText(one.code, other.code))
}

const waits: Sums = ({ jobs }) =>
  grouped(
    jobs.filter(({ request }) => request !== undefined),
    ({ debit }) => monthOf(debit.recordedAt),
  ).map(({ key: [month = ''], all }) => {
    const hours = (of: (job: (typeof all)[number]) => number): number => sum(all.map(of)) / 3_600_000
    return {
      ...{ month, jobs: all.length },
      jobs_in_downtime: all.filter(({ spent }) => spent.nobodyRan > 0).length,
      jobs_of_killed_workers: all.filter(({ spent }) => spent.waitedForLease > 0).length,
      free_worker_hours: hours(({ spent }) => spent.waitedForWorker),
      down_hours: hours(({ spent }) => spent.nobodyRan),
      killed_worker_hours: hours(({ spent }) => spent.waitedForLease),
      retry_hours: hours(({ spent }) => spent.waitedForRetry),
    }
  })

/** In the order of questions 16 to 19. */
export const useSums: readonly Sums[] = [surfaces, hosts, refusals, waits]
