import type { CreditsEvent, Ledger } from './ledger.ts'

/** The month of an instant (milliseconds since 1970), YYYY-MM in UTC. Every poll of an ended job asks for it. */
export function periodOf(instant: number): string {
  const date = new Date(instant)
  // A fifth of the time that toISOString takes.
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`
}

/** The first instant of a month, YYYY-MM, in UTC; milliseconds since 1970. */
export const startOf = (period: string): number => Date.parse(period)

export function monthAfter(period: string): string {
  const start = new Date(startOf(period))
  return periodOf(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
}

/** An event of a ledger, with its recorded time where that is known. */
export type DatedEvent = CreditsEvent & { recordedAt?: number }

/**
 * What a ledger's events say about its months, folded beside the ledger: which month gives credits next, and which open
 * debits were made before the last expiry. CreditsStated has no field for these. So the months that are needed after a
 * statement are written just before it, as renewals of nothing (see {@link monthsToKeep}).
 */
export type Months = {
  /** Months that have given their credits. They give them only once. */
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
  /** Months of the unbroken run of renewals of nothing that was read last. */
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

/** True for a renewal of nothing, which stands before a CreditsStated. */
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
 * The months after an event that was recorded at an instant. If its month is earlier than that of the last renewal, the
 * clock that renewed ran ahead, and renewals count from the earlier month again.
 */
function monthsAt(months: Months, recordedAt: number): Months {
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
  // The first credits of a plan let nothing expire. An organization with monthly credits before has some that do.
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

/** True where the credits of an open debit have expired. `debitedAt`: its recorded time, where that is known. */
export function hasLapsed(months: Months, jobId: string, debitedAt: number | undefined): boolean {
  if (months.lapsed.has(jobId)) return true
  if (debitedAt === undefined || !months.stated.has(jobId)) return false
  const month = periodOf(debitedAt)
  return month < months.from && month < months.expiredIn
}

/**
 * False while debits are open whose credits have expired, in a month that was begun by a clock that ran ahead: their recorded
 * times would not tell them from debits of that month. They are settled soon.
 */
export const canBeStated = ({ lapsed, recordedAt }: Months, { period }: Ledger): boolean =>
  lapsed.size === 0 || periodOf(recordedAt) >= period

/** The most months that are written before a statement: the nearest ones. */
const MAX_KEPT = 5

/**
 * The months to be written before a statement. The ledger's own month, where its renewal let nothing expire and debits
 * are open that may be older. And, where a clock ran ahead of `period`, the months that have given their credits, from
 * the last one that is not ahead.
 */
export function monthsToKeep(months: Months, ledger: Ledger, period: string): string[] {
  const given = [...months.given].filter((month) => month !== ledger.period).sort()
  const isAhead = ledger.period > period || given.some((month) => month > period)
  const lastTrue = given.findLast((month) => month <= period) ?? ''
  const opened = months.expiredIn !== ledger.period && ledger.openDebits.size > 0 ? [ledger.period] : []
  const ahead = isAhead ? given.filter((month) => month >= lastTrue).slice(0, MAX_KEPT) : []
  return [...ahead, ...opened]
}
