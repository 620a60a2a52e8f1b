import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { Account } from '#packages/history/verify/account.ts'
import { Ledgers, ledgerDefaults } from '#packages/ledger/ledgers.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { type Check, endOf, type History, requestOf } from './history.ts'

/** Invariant 2: a balance is what was given in its period and not spent, no month gives twice, and none is negative. */
export const balancesAddUp: Check = async (history) => {
  const { world, ledgers } = history
  const store = new MemoryEventStore({ clock: world.storeClock, events: world.events, codec: world.codec })
  const ids = { uuid: () => world.random.uuid(), random: () => 0 }
  const told = new Ledgers({ store, clock: world.storeClock, ids }, { ...ledgerDefaults, cachedLedgers: 10 })
  const problems: string[] = []
  for (const [orgId, events] of ledgers) {
    const isForgotten = world.record.removed.has(streams.credits(orgId))
    const account = new Account()
    for (const event of events) problems.push(...account.apply(event).map((what) => `${orgId}: ${what}`))
    const expected = account.toldIn(new Date(world.scheduler.now).toISOString().slice(0, 7))
    const { balance } = await told.current(orgId)
    if (balance !== expected && !isForgotten) problems.push(`${orgId} is shown ${balance} credits and has ${expected}`)
  }
  return [...problems, ...grantsOnce(history)]
}

/** Each grant of an operator has a size of its own: each is stored at most once, and once where it was answered. */
function grantsOnce({ ledgers, world }: History): string[] {
  const problems: string[] = []
  for (const [orgId, events] of ledgers) {
    const sizes = events.flatMap(({ type, data }) =>
      type === 'CreditsGranted' && data.reason === 'adjustment' ? [data.credits] : [],
    )
    if (new Set(sizes).size !== sizes.length) problems.push(`${orgId} was given the same credits twice: ${sizes}`)
    for (const grant of world.record.grants)
      if (grant.orgId === orgId && !sizes.includes(grant.credits))
        problems.push(`${orgId} lacks ${grant.credits} credits`)
  }
  return problems
}

/** Invariant 3: debited once, settled once, a failure refunded in full, a result charged as the specification says. */
export const debitsAreSettled: Check = ({ jobs, debits, settlements }) => {
  const problems: string[] = []
  for (const jobId of new Set([...jobs.keys(), ...debits.keys(), ...settlements.keys()])) {
    const [debit, ...moreDebits] = debits.get(jobId) ?? []
    const [settlement, ...moreSettlements] = settlements.get(jobId) ?? []
    const job = jobs.get(jobId) ?? []
    if (debit === undefined) problems.push(`${jobId} was never debited`)
    if (moreDebits.length > 0) problems.push(`${jobId} was debited ${1 + moreDebits.length} times`)
    if (settlement === undefined) problems.push(`${jobId} was never settled`)
    if (moreSettlements.length > 0) problems.push(`${jobId} was settled ${1 + moreSettlements.length} times`)
    const end = endOf(job)
    if (debit === undefined || settlement === undefined || end === undefined) continue
    const { charged, refunded, reason } = settlement.data
    if (charged + refunded !== debit.data.credits) problems.push(`${jobId} is not settled in full`)
    if (charged !== costOf(job)) problems.push(`${jobId} was charged ${charged} instead of ${costOf(job)}`)
    if (reason !== (end.type === 'JobFailed' ? end.data.code : 'completed'))
      problems.push(`${jobId} was settled as ${reason}`)
    if (settlement.position < end.position) problems.push(`${jobId} was settled before its end`)
    const request = requestOf(job)
    if (request === undefined) continue
    if (request.position < debit.position) problems.push(`${jobId} was requested before it was paid`)
    if (request.data.budget !== debit.data.credits) problems.push(`${jobId} has another budget than its debit`)
  }
  return problems
}

/** What a job costs by the specification: 0 without a result, 10 for an extraction, 1 for captions, 5 for speech. */
function costOf(job: readonly StoredEvent[]): number {
  if (!job.some(({ type }) => type === 'JobCompleted')) return 0
  if (requestOf(job)?.data.kind === 'extraction') return 10
  return job.some(({ type }) => type === 'SpeechTranscribed') ? 5 : 1
}
