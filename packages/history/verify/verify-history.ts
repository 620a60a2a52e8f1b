import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { HistoryStore } from '../history-store.ts'
import { allStreams } from '../projection.ts'
import { type HistoryRange, readHistory, type Take } from '../read-history.ts'
import { balances } from './balances.ts'
import { cancellations } from './cancellations.ts'
import type { Check } from './check.ts'
import { claims } from './claims.ts'
import { ends } from './ends.ts'
import { needlessFailures } from './failures.ts'
import { HistoryPass } from './history-pass.ts'
import { ids } from './ids.ts'
import { limitsOfKeys, revokedKeys } from './keys.ts'
import type { Outcome } from './outcome.ts'
import { owners } from './owners.ts'
import { removals } from './removals.ts'
import { requestHours } from './request-hours.ts'
import { revisions } from './revisions.ts'
import { settlements } from './settlements.ts'

export type VerifyOptions = Pick<HistoryRange, 'from' | 'after'> & {
  /** Until when a process was running, milliseconds since 1970; undefined: until the last event, as far as is known. */
  workingAt?: number | undefined
  /** True if events of a type have all their data. Default: all have. */
  isWhole?: (type: StoredEvent['type']) => boolean
  /** True for an archive: it keeps events that the store has dropped for their age. */
  keepsOld?: boolean
  /** Whether a stream was removed, if the store knows. */
  isRemoved?: (stream: string) => Promise<boolean>
  /** Also gets each batch of events, so that they are read only once. */
  beside?: Take | undefined
  tell?: (events: number) => void
}

export type Verified = { events: number; outcomes: Outcome[] }

/** Checks every invariant of ops/architecture.md that events can show, in one pass over the feed. It only reads. */
export async function verifyHistory(
  store: HistoryStore,
  { from, after, workingAt, beside, tell, isWhole = all, keepsOld = false, isRemoved = unknown }: VerifyOptions = {},
): Promise<Verified> {
  const pass = new HistoryPass()
  const checks = checksOf(store, pass, { beginsLater: from !== undefined, isWhole, keepsOld, isRemoved })
  pass.use(checks)
  let events = 0
  await readHistory(store, { prefixes: allStreams, from, after: after ?? 0 }, async (batch) => {
    for (const event of batch) pass.take(event)
    for (const check of checks) await check.ask?.()
    await beside?.(batch)
    events += batch.length
    tell?.(events)
  })
  pass.standstills.last = Math.max(pass.standstills.last, workingAt ?? 0)
  for (const { atEnd } of checks) await atEnd?.(pass.rest())
  return { events, outcomes: checks.map(({ verdict }) => verdict.outcome) }
}

const all = (): boolean => true
const unknown = (): Promise<boolean> => Promise.resolve(false)

type Kind = Required<Pick<VerifyOptions, 'isWhole' | 'keepsOld' | 'isRemoved'>> & { beginsLater: boolean }

/** The simulation checks the others: 8, 10 and 11 concern what was not recorded. */
function checksOf(
  store: HistoryStore,
  pass: HistoryPass,
  { beginsLater, isWhole, keepsOld, isRemoved }: Kind,
): Check[] {
  const { standstills, keys } = pass
  const everyJobEnds = ends(standstills)
  return [
    revisions(store, { beginsLater, ends: everyJobEnds.verdict }),
    ids(isWhole),
    everyJobEnds,
    balances(),
    settlements(store, isRemoved),
    revokedKeys(keys, { beginsLater }),
    owners(),
    claims(),
    needlessFailures(),
    cancellations(),
    limitsOfKeys(keys),
    requestHours(),
    removals(store, { keepsOld, forget: (streams) => pass.forget(streams) }),
  ]
}
