import type { CreditsEvent, Ledger } from './ledger.ts'

/** The month of an instant (milliseconds since 1970), YYYY-MM in UTC. */
export const periodOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7)

/** An event of a ledger with the time it was recorded at, where that is known. */
export type DatedEvent = CreditsEvent & { recordedAt?: number }

/**
 * What a ledger's events say about its months, folded beside the ledger: which month gives credits next, and which open
 * debits were made before the last expiry. A CreditsStated has no room for it. So what is needed of it after a
 * statement is written just before the statement, as renewals of nothing (see {@link monthsToKeep}).
 */
export type Months = {
  /** Months that have given their credits. They give none again. */
  given: ReadonlySet<string>
  /** Renewal is due in months after this one. */
  from: string
  /** When the newest event was recorded, milliseconds since 1970; 0: not known. */
  recordedAt: number
  /** Open debits of credits that have expired since. */
  lapsed: ReadonlySet<string>
  /** Open debits that the last statement names. It does not say when they were made. */
  stated: ReadonlySet<string>
  /** The month whose renewal was the last to let credits expire; empty: none did. */
  expiredIn: string
  /** Months of the renewals of nothing that were read last, one after the other. */
  kept: readonly string[]
}

export const initialMonths: Months = {
  given: new Set(),
  from: '',
  recordedAt: 0,
  lapsed: new Set(),
  stated: new Set(),
  expiredIn: '',
  kept: [],
}

/** True for events that stand before a CreditsStated to say what it cannot say itself. */
export const givesNothing = (event: CreditsEvent): boolean =>
  event.type === 'CreditsRenewed' && event.data.credits === 0 && event.data.expired === 0

/** The months after one more event. `ledger`: as it was before the event. */
export function evolveMonths(months: Months, event: DatedEvent, ledger: Ledger): Months {
  const dated = event.recordedAt === undefined ? months : monthsAt(months, event.recordedAt)
  switch (event.type) {
    case 'CreditsRenewed': {
      const kept = givesNothing(event) ? [...months.kept, event.data.period] : []
      return { ...renewed(dated, event.data, ledger), kept }
    }
    case 'CreditsSettled': {
      const { jobId } = event.data
      return { ...dated, lapsed: without(dated.lapsed, jobId), stated: without(dated.stated, jobId), kept: [] }
    }
    case 'CreditsStated':
      return stated(months.kept, event)
    default:
      return { ...dated, kept: [] }
  }
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return ids.has(id) ? new Set([...ids].filter((one) => one !== id)) : ids
}

/**
 * The months once it is known that an event was recorded at an instant. In an earlier month than that of the last renewal:
 * the clock that renewed ran ahead, and renewal counts from the earlier month again.
 */
export function monthsAt(months: Months, recordedAt: number): Months {
  const month = periodOf(recordedAt)
  return { ...months, recordedAt, from: month < months.from ? month : months.from }
}

function renewed(
  months: Months,
  { period, credits, expired }: { period: string; credits: number; expired: number },
  ledger: Ledger,
): Months {
  if (period === ledger.period) return months
  const given = new Set(months.given).add(period)
  // The first credits of a plan: nothing has expired for them. Whoever was given credits before has some that do.
  if (credits > 0 && expired === 0 && ledger.renewed === 0) return { ...months, given, from: period }
  return {
    ...months,
    given,
    from: period,
    expiredIn: period,
    lapsed: new Set(ledger.openDebits.keys()),
    stated: new Set(),
  }
}

function stated(kept: readonly string[], { data, recordedAt }: DatedEvent & { type: 'CreditsStated' }): Months {
  const { period, openDebits } = data
  const plain: Months = {
    ...initialMonths,
    given: new Set(period === '' ? kept : [...kept, period]),
    from: period,
    stated: new Set(openDebits.map(({ jobId }) => jobId)),
    expiredIn: kept.includes(period) ? '' : period,
  }
  return recordedAt === undefined ? plain : monthsAt(plain, recordedAt)
}

/** True where a month gives its credits next. */
export const isDue = ({ from, given }: Months, period: string): boolean => period > from && !given.has(period)

/** True where the credits of an open debit have expired since. `debitedAt`: when it was recorded, where that is known. */
export function hasLapsed(months: Months, jobId: string, debitedAt: number | undefined): boolean {
  if (months.lapsed.has(jobId)) return true
  if (debitedAt === undefined || !months.stated.has(jobId)) return false
  const month = periodOf(debitedAt)
  return month < months.from && month < months.expiredIn
}

/** Months that are kept from before a statement, at most; the nearest. */
const MAX_KEPT = 5

/**
 * The months to be written before a statement: the ledger's own where its credits came without an expiry and debits are
 * open that may be older; and, where a clock ran ahead of `period`, those that have given their credits from the last
 * true one on.
 */
export function monthsToKeep(months: Months, ledger: Ledger, period: string): string[] {
  const given = [...months.given].filter((month) => month !== ledger.period).sort()
  const isAhead = ledger.period > period || given.some((month) => month > period)
  const lastTrue = given.findLast((month) => month <= period) ?? ''
  const opened = months.expiredIn !== ledger.period && ledger.openDebits.size > 0 ? [ledger.period] : []
  const ahead = isAhead ? given.filter((month) => month >= lastTrue).slice(0, MAX_KEPT) : []
  return [...ahead, ...opened]
}
