import { Ledgers, ledgerDefaults } from '#packages/accounts/ledger/ledgers.ts'
import { Account } from '#packages/history/questions/verify/account.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { type Check, type History, requestOf } from './history.ts'

/**
 * Invariant 2: a balance is what was granted in its period and not spent, no month grants twice, and none is negative.
 */
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

/** Each grant of an operator has a different size. Each is stored at most once, and exactly once if it was answered. */
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

/** Invariant 3, in addition to what the history shows: a result is charged as the specification says. */
export const jobsCostTheirPrice: Check = ({ jobs, settlements }) =>
  [...settlements].flatMap(([jobId, [settlement]]) => {
    const cost = costOf(jobs.get(jobId) ?? [])
    const { charged } = settlement?.data ?? {}
    return charged === cost ? [] : [`${jobId} was charged ${charged} instead of ${cost}`]
  })

/**
 * What a job costs by the specification: 0 without a result of its own, 10 for an extraction, 1 for captions, 5 for
 * speech.
 */
function costOf(job: readonly StoredEvent[]): number {
  if (!job.some(({ type }) => type === 'JobCompleted')) return 0
  const request = requestOf(job)?.data
  if (request?.reused != null) return 0
  if (request?.kind === 'extraction') return 10
  return job.some(({ type }) => type === 'SpeechTranscribed') ? 5 : 1
}
