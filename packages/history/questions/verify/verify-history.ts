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
  /** The instant until which a process is known to run, milliseconds since 1970. Undefined: until the last event. */
  workingAt?: number | undefined
  /** Whether events of a type still have all their data. Default: yes. */
  isWhole?: (type: StoredEvent['type']) => boolean
  /** The stored JSON of an event's data, if it is available: it need not be computed again. */
  jsonOf?: (event: StoredEvent) => string | undefined
  /** True for an archive, which keeps events that the store has dropped for their age. */
  keepsOld?: boolean
  /** Whether a stream was removed. Missing: the store does not know. */
  isRemoved?: (stream: string) => Promise<boolean>
  /** Also receives each batch of events, so that one read serves two purposes. */
  beside?: Take | undefined
  tell?: (events: number) => void
}

export type Verified = { events: number; outcomes: Outcome[] }

/** Checks every invariant of ops/architecture.md that events can show, in one pass over the feed. It only reads. */
export async function verifyHistory(
  store: HistoryStore,
  { from, after, workingAt, beside, tell, ...options }: VerifyOptions = {},
): Promise<Verified> {
  const pass = new HistoryPass()
  const { isWhole = all, jsonOf = noJson, keepsOld = false, isRemoved = unknown } = options
  const checks = checksOf(store, pass, { beginsLater: from !== undefined, isWhole, jsonOf, keepsOld, isRemoved })
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
const noJson = (): undefined => undefined
const unknown = (): Promise<boolean> => Promise.resolve(false)

type Kind = Required<Pick<VerifyOptions, 'isWhole' | 'jsonOf' | 'keepsOld' | 'isRemoved'>> & { beginsLater: boolean }

/** The simulation checks the others: 8, 10 and 11 are about what was not recorded. */
function checksOf(
  store: HistoryStore,
  pass: HistoryPass,
  { beginsLater, isWhole, jsonOf, keepsOld, isRemoved }: Kind,
): Check[] {
  const { standstills, keys } = pass
  const everyJobEnds = ends(standstills)
  return [
    revisions(store, { beginsLater, isRemoved, ends: everyJobEnds.verdict }),
    ids(isWhole, jsonOf),
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
