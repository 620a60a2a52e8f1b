/** The answers to the questions about customers and credits, computed from the events without SQL. */

import { credits } from '#packages/domain/credits/credits.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { byText, type Facts, grouped, monthOf, monthsBetween, quantile, sum, usdOf } from './facts.fixture.ts'
import type { Plain } from './run-query.ts'

const DAY_MS = 86_400_000

export type Sums = (facts: Facts) => Record<string, Plain>[]

/** The most expensive plan of each organization in each month. */
function plansByMonth({ ledgers, now }: Facts): { orgId: string; month: string; plan: Plan }[] {
  return [...ledgers].flatMap(([orgId, ledger]) => {
    const months = monthsBetween(monthOf(ledger[0]?.recordedAt ?? now), monthOf(now))
    let plan: Plan = 'free'
    return months.flatMap((month) => {
      let dearest = plan
      for (const event of ledger)
        if (event.type === 'PlanChanged' && monthOf(event.recordedAt) === month) {
          plan = event.data.plan
          if (usdOf[plan] > usdOf[dearest]) dearest = plan
        }
      return usdOf[dearest] === 0 ? [] : [{ orgId, month, plan: dearest }]
    })
  })
}

const standing: Sums = ({ ledgers, events, jobs, now }) =>
  [0, 30].map((daysAgo) => {
    const [began, ended] = [now - (daysAgo + 30) * DAY_MS, now - daysAgo * DAY_MS]
    const isIn = (instant: number): boolean => instant > began && instant <= ended
    const prices = [...ledgers.values()].flatMap((ledger) => {
      const past = ledger.filter(({ recordedAt }) => recordedAt <= ended)
      return usdOf[fold(credits, past).plan] || []
    })
    const settled = events.flatMap((event) =>
      event.type === 'CreditsSettled' && isIn(event.recordedAt) ? [event] : [],
    )
    const failed = settled.filter(({ data }) => data.reason !== 'completed')
    const debited = sum(settled.map(({ data }) => data.charged + data.refunded))
    const seconds = jobs.flatMap(({ status, endedAt, request }) =>
      status === 'completed' && request !== undefined && endedAt !== null && isIn(endedAt)
        ? [(endedAt - request.recordedAt) / 1000]
        : [],
    )
    return {
      ...{ days: daysAgo === 0 ? 'now' : 'before', monthly_revenue_usd: sum(prices), paying_customers: prices.length },
      active_customers: new Set(settled.map(({ metadata }) => metadata.orgId)).size,
      completed_jobs: settled.length - failed.length,
      refunded_percent: (100 * sum(failed.map(({ data }) => data.refunded))) / debited,
      median_wait_seconds: quantile(seconds, 0.5),
    }
  })

const revenue: Sums = (facts) =>
  grouped(plansByMonth(facts), 'month', 'plan')
    .map(({ key: [month = '', plan = ''], all }) => {
      return { month, plan, customers: all.length, usd: all.length * usdOf[plan as Plan] }
    })
    .sort((one, other) => byText(one.month, other.month) || other.usd - one.usd)

const changes: Sums = (facts) => {
  const paid = plansByMonth(facts)
  const months = [...new Set(paid.map(({ month }) => month))].sort()
  const moves = months.flatMap((month, index) =>
    [...facts.ledgers.keys()].flatMap((orgId) => {
      const usdIn = (asked: string | undefined): number => {
        const found = paid.find((each) => each.orgId === orgId && each.month === asked)
        return found === undefined ? 0 : usdOf[found.plan]
      }
      const [before, now] = [usdIn(months[index - 1]), usdIn(month)]
      if (before === now) return []
      const change = before === 0 ? 'new' : now === 0 ? 'cancelled' : now > before ? 'upgrade' : 'downgrade'
      return [{ month, change, usd: now - before }]
    }),
  )
  return grouped(moves, 'month', 'change')
    .map(({ key: [month = '', change = ''], all }) => {
      return { month, change, customers: all.length, usd: sum(all.map(({ usd }) => usd)) }
    })
    .sort((one, other) => byText(one.month, other.month) || other.usd - one.usd || byText(one.change, other.change))
}

const largest: Sums = ({ jobs, ledgers, now }) => {
  const recent = jobs.flatMap(({ orgId, settlement }) =>
    settlement !== undefined && settlement.recordedAt > now - 90 * DAY_MS ? [{ orgId, ...settlement.data }] : [],
  )
  const total = sum(recent.map(({ charged }) => charged))
  return grouped(recent, 'orgId')
    .map(({ key: [orgId = ''], all }) => {
      const charged = sum(all.map((each) => each.charged))
      const { plan } = fold(credits, ledgers.get(orgId) ?? [])
      return { org_id: orgId, plan, charged, percent: (100 * charged) / total, jobs: all.length }
    })
    .filter(({ charged }) => charged > 0)
    .sort((one, other) => other.charged - one.charged)
    .slice(0, 10)
}

const cohorts: Sums = ({ ledgers, events, now }) => {
  const signUps = events.flatMap(({ type, metadata, recordedAt }) =>
    type === 'OrganizationRegistered' ? [{ orgId: metadata.orgId, month: monthOf(recordedAt) }] : [],
  )
  const activeIn = (orgId: string, month: string): boolean =>
    (ledgers.get(orgId) ?? []).some(
      ({ type, data, recordedAt }) => type === 'CreditsSettled' && data.charged > 0 && monthOf(recordedAt) === month,
    )
  return grouped(signUps, 'month').flatMap(({ key: [signedUp = ''], all }) =>
    monthsBetween(signedUp, monthOf(now)).map((month, later) => {
      const active = all.filter(({ orgId }) => activeIn(orgId, month)).length
      const percent = (100 * active) / all.length
      return { signed_up: signedUp, months_later: later, customers: all.length, active, percent }
    }),
  )
}

const firstTranscripts: Sums = ({ events, jobs }) => {
  const firsts = events.flatMap(({ type, metadata: { orgId }, recordedAt }) => {
    if (type !== 'OrganizationRegistered') return []
    const ends = jobs.flatMap((job) =>
      job.orgId === orgId && job.request?.data.kind === 'transcript' && job.status === 'completed'
        ? [job.endedAt ?? 0]
        : [],
    )
    return [
      { month: monthOf(recordedAt), hours: ends.length === 0 ? null : (Math.min(...ends) - recordedAt) / 3_600_000 },
    ]
  })
  return grouped(firsts, 'month').map(({ key: [month = ''], all }) => {
    const hours = all.flatMap((first) => first.hours ?? [])
    return {
      ...{ signed_up: month, customers: all.length, with_transcript: hours.length },
      ...{ median_hours: quantile(hours, 0.5), longest_hours: Math.max(...hours) },
    }
  })
}

const nearLimit: Sums = ({ ledgers, now }) => {
  const begin = Date.parse(`${monthOf(now)}-01`)
  const rows = [...ledgers].flatMap(([orgId, ledger]) => {
    const { plan, balance } = fold(credits, ledger)
    let used = 0
    for (const { type, data, recordedAt } of ledger) {
      if (recordedAt < begin) continue
      if (type === 'CreditsDebited') used += data.credits
      if (type === 'CreditsSettled') used -= data.refunded
    }
    const percent = (100 * used) / (used + balance)
    if (used <= 0 || percent < 70) return []
    const daysLeft = (balance * (now - begin)) / used / DAY_MS
    return [{ org_id: orgId, plan, used, left: balance, percent, days_left: daysLeft }]
  })
  return rows.sort((one, other) => other.percent - one.percent || byText(one.org_id, other.org_id))
}

const expiry: Sums = ({ events }) => {
  const lines = events.filter(({ stream }) => stream.startsWith('credits-'))
  return grouped(lines, ({ recordedAt }) => monthOf(recordedAt)).map(({ key: [month = ''], all }) => {
    const row = { month, given: 0, charged: 0, expired: 0 }
    for (const { type, data } of all) {
      if (type === 'CreditsGranted' || type === 'CreditsRenewed') row.given += data.credits
      if (type === 'CreditsSettled') row.charged += data.charged
      if (type === 'CreditsRenewed') row.expired += data.expired
    }
    return row
  })
}

/** In the order of questions 0 to 7. */
export const businessSums: readonly Sums[] = [
  standing,
  revenue,
  changes,
  largest,
  cohorts,
  firstTranscripts,
  nearLimit,
  expiry,
]
