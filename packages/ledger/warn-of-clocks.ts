import { BEHIND_MS, type Credits } from '#packages/domain/credits/credits.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** Logs, once for each ledger, where its events show that a clock is wrong. `now`: milliseconds since 1970. */
export function warnOfClocks(
  log: Logger,
  { orgId, warned }: { orgId: string; warned: Set<string> },
  { ledger, months }: Credits,
  now: number,
): void {
  const warn = (alarm: string, fields: object, message: string): void => {
    if (warned.has(alarm)) return
    warned.add(alarm)
    log.warn({ alarm, orgId, ...fields }, message)
  }
  if (months.recordedAt > now + BEHIND_MS) {
    const fields = { behindMs: months.recordedAt - now }
    warn('clock_behind', fields, 'this clock is behind the newest event of a ledger: it writes no renewal')
  }
  if (months.from < ledger.period) {
    const fields = { period: ledger.period, countsFrom: months.from }
    warn(
      'clock_ran_ahead',
      fields,
      'a ledger was renewed by a clock that ran ahead: renewal counts from the true month',
    )
  }
}
