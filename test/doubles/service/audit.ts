import { expect } from 'chai'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { SPENT_BEFORE } from './back-door.ts'
import type { RunningService } from './running-service.ts'

/** The cost and the outcome of one job, according to the events. */
type Account = {
  jobId: string
  orgId: string
  debited: number[]
  settled: DomainEvent<'CreditsSettled'>['data'][]
  /** Events of the job's own stream. */
  history: StoredEvent[]
}

const isEnd = ({ type }: StoredEvent): boolean => type === 'JobCompleted' || type === 'JobFailed'

/** Credits for what was done, as the specification lists them; none for the result of another job. */
function priceOf(history: readonly StoredEvent[]): number {
  if (!history.some(({ type }) => type === 'JobCompleted')) return 0
  if (history.some(({ type, data }) => type === 'JobRequested' && data.reused !== null)) return 0
  if (history.some(({ type }) => type === 'ExtractionProduced')) return 10
  return history.some(({ type }) => type === 'SpeechTranscribed') ? 5 : 1
}

/** Computes the balance of one `credits-` stream, and reports whatever does not add up. */
function count(stream: string, events: readonly StoredEvent[], complain: (what: string) => void): number {
  let balance = 0
  const open = new Map<string, number>()
  for (const { type, data } of events) {
    if (type === 'CreditsGranted') balance += data.credits
    if (type === 'CreditsRenewed') balance += data.credits - data.expired
    if (type === 'CreditsDebited') {
      balance -= data.credits
      open.set(data.jobId, data.credits)
    }
    if (type === 'CreditsSettled') {
      balance += data.refunded
      if (open.get(data.jobId) !== data.charged + data.refunded) complain(`${stream}: ${data.jobId} is settled wrongly`)
      open.delete(data.jobId)
    }
    if (type === 'CreditsStated') {
      const stated = Object.fromEntries(data.openDebits.map(({ jobId, credits }) => [jobId, credits]))
      if (data.balance !== balance || JSON.stringify(stated) !== JSON.stringify(Object.fromEntries(open)))
        complain(`${stream}: a statement differs from the events before it`)
    }
    if (balance < 0) complain(`${stream}: the balance is ${balance}`)
  }
  return balance
}

function accountsOf(events: readonly StoredEvent[]): Account[] {
  const accounts = new Map<string, Account>()
  const accountOf = (jobId: string, orgId: string): Account => {
    const fresh = { jobId, orgId, debited: [], settled: [], history: [] }
    const account: Account = accounts.get(jobId) ?? fresh
    accounts.set(jobId, account)
    return account
  }
  for (const event of events) {
    const { type, data, metadata, stream } = event
    if (type === 'CreditsDebited') accountOf(data.jobId, metadata.orgId).debited.push(data.credits)
    if (type === 'CreditsSettled') accountOf(data.jobId, metadata.orgId).settled.push(data)
    if (stream.startsWith('job-')) accountOf(stream.slice('job-'.length), metadata.orgId).history.push(event)
  }
  return [...accounts.values()]
}

function complaintsAbout({ jobId, debited, settled, history }: Account): string[] {
  const [settlement] = settled
  if (debited.length !== 1) return [`${jobId} was debited ${debited.length} times`]
  if (settled.length !== 1 || settlement === undefined) return [`${jobId} was settled ${settled.length} times`]
  if (settlement.reason === SPENT_BEFORE) return []
  const complaints: string[] = []
  const ends = history.filter(isEnd)
  if (ends.length !== 1) complaints.push(`${jobId} has ${ends.length} terminal events`)
  if (ends[0] !== history.at(-1)) complaints.push(`${jobId} goes on after its end`)
  const [first] = history
  const refused = first?.type === 'JobFailed' && first.data.code === 'not_accepted'
  if (first?.type !== 'JobRequested' && !refused) complaints.push(`${jobId} begins with ${first?.type}`)
  if (first?.type === 'JobRequested' && first.data.budget !== debited[0])
    complaints.push(`${jobId} has the budget ${first.data.budget}, and ${debited[0]} were debited`)
  const price = priceOf(history)
  if (settlement.charged !== price) complaints.push(`${jobId} was charged ${settlement.charged} instead of ${price}`)
  return complaints
}

/**
 * Checks all events against the invariants of jobs and credits, without the code that wrote them. Each job is debited
 * once, ended once and settled once, for what was done; no ledger is below zero.
 * @returns what is wrong (nothing, if all jobs have ended), and the balances
 */
export function audit(events: readonly StoredEvent[]): { complaints: string[]; balances: Map<string, number> } {
  const complaints: string[] = []
  const ledgers = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('credits-')),
    ({ stream }) => stream,
  )
  const balances = new Map<string, number>()
  for (const [stream, ledger] of ledgers)
    balances.set(
      stream.slice('credits-'.length),
      count(stream, ledger, (what) => complaints.push(what)),
    )
  complaints.push(...accountsOf(events).flatMap(complaintsAbout))
  return { complaints, balances }
}

/** Asserts, once every debit is settled, that nothing is wrong with all events of a service. */
export async function assertAddsUp(setting: RunningService): Promise<void> {
  expect(audit(await setting.rest()).complaints).to.deep.equal([])
}
