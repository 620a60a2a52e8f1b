import type { Usage, UsageGroup } from '#contracts/generated/http.ts'
import { dayOf } from '#packages/events/views/daily-use.ts'
import { type Cost, type Costs, nothingSpent, sumOf, type UsageDocument } from '#packages/events/views/usage.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import type { Stored, Views } from '#packages/ports/views.ts'

export const usageGroups = ['day', 'operation', 'key', 'platform'] as const

export type UsageQuestion = {
  /** The first and the last day (UTC), such as 2026-01-31. Undefined: 30 days, until today. */
  from: string | undefined
  to: string | undefined
  groupBy: (typeof usageGroups)[number]
}

/** The most days of one request. */
export const MAX_USAGE_DAYS = 92

const DEFAULT_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1000

/** `now`: milliseconds since 1970. `retentionDays`: undefined if everything is kept (RETENTION_DAYS). */
export type UsageTimes = { now: number; retentionDays: number | undefined }

/**
 * The days (UTC) with a settled job, newest first. `isCut`: the request began earlier, but older days are no longer
 * stored.
 */
export type UsageDays = { from: string; to: string; isCut: boolean; days: readonly UsageDocument[] }

/**
 * The usage of some days, from the view of settled jobs.
 * @throws ServiceError invalid_request: too many days, the wrong order, or all of them too old
 */
export async function readUsage(
  views: Views,
  orgId: string,
  question: Pick<UsageQuestion, 'from' | 'to'>,
  times: UsageTimes,
): Promise<UsageDays> {
  const asked = daysOf(question, times.now)
  const first = firstKept(times)
  if (asked.to < first)
    throw invalidRequest({ path: 'to', message: `must be ${dayOf(first)} or later: older usage is not kept` })
  const { from, to } = { ...asked, from: Math.max(asked.from, first) }
  return { from: dayOf(from), to: dayOf(to), isCut: from > asked.from, days: await documentsOf(views, orgId, from, to) }
}

/** The start of the first day with all its settlements: the day after the one that retention begins on. */
const firstKept = ({ now, retentionDays }: UsageTimes): number =>
  retentionDays === undefined ? Number.NEGATIVE_INFINITY : Date.parse(dayOf(now - (retentionDays - 1) * DAY_MS))

/** The cost of an organization's jobs. Parameters and errors are those of {@link readUsage}. */
export async function sumUsage(
  views: Views,
  orgId: string,
  question: UsageQuestion,
  times: UsageTimes,
): Promise<Usage> {
  return usageBy(question.groupBy, await readUsage(views, orgId, question, times))
}

export function usageBy(groupBy: UsageQuestion['groupBy'], { from, to, days }: UsageDays): Usage {
  const groups = new Map<string, Cost>()
  for (const document of days)
    for (const [group, cost] of costsOf(document, groupBy))
      groups.set(group, sumOf(groups.get(group) ?? nothingSpent, cost))
  const rows = [...groups].map(([group, cost]): UsageGroup => ({ group, ...shown(cost) }))
  const totals = shown([...groups.values()].reduce(sumOf, nothingSpent))
  return { from, to, groupBy, groups: rows.sort(orders[groupBy]), totals }
}

/** The starts of the first and the last day. */
function daysOf({ from, to }: Pick<UsageQuestion, 'from' | 'to'>, now: number): { from: number; to: number } {
  const last = Date.parse(to ?? dayOf(now))
  const first = from === undefined ? last - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(from)
  if (first > last) throw invalidRequest({ path: 'from', message: 'must not be after `to`' })
  if (last - first >= MAX_USAGE_DAYS * DAY_MS)
    throw invalidRequest({ path: 'from', message: `must be at most ${MAX_USAGE_DAYS} days before the end` })
  return { from: first, to: last }
}

/** One document for each day with a settled job, at most as many as there are days. */
async function documentsOf(views: Views, orgId: string, from: number, to: number): Promise<Stored<UsageDocument>[]> {
  const after = { by: to + DAY_MS, id: '' }
  const limit = (to - from) / DAY_MS + 1
  const found = await views.page<UsageDocument>('usage', { where: { orgId: [orgId] }, by: 'startsAt', after, limit })
  return found.filter(({ startsAt }) => startsAt >= from)
}

/** The costs of a day by group. Every job belongs to one operation. */
function costsOf(document: UsageDocument, groupBy: UsageQuestion['groupBy']): [string, Cost][] {
  if (groupBy !== 'day') return Object.entries(document[groupBy])
  return [[dayOf(document.startsAt), totalOf(document.operation)]]
}

const totalOf = (costs: Costs): Cost => Object.values(costs).reduce(sumOf, nothingSpent)

const shown = ({ jobs, charged, refunded }: Cost) => ({ jobs, creditsCharged: charged, creditsRefunded: refunded })

type Order = (one: UsageGroup, other: UsageGroup) => number

const byName: Order = (one, other) => (one.group < other.group ? -1 : 1)
const byCost: Order = (one, other) => other.creditsCharged - one.creditsCharged || byName(one, other)
const orders: Record<UsageQuestion['groupBy'], Order> = {
  day: byName,
  operation: byCost,
  key: byCost,
  platform: byCost,
}
