import type { EventMetadata } from '#contracts/generated/messages.ts'
import { debit as debitOf } from '#packages/domain/credits/credits.fixture.ts'
import { type CreditsCommand, credits } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { Random } from '#test/doubles/random.ts'
import { ScriptedStore } from '#test/doubles/scripted-store.ts'
import type { LedgerEntry, LedgerOutcome } from './ledger-entry.ts'
import { type LedgerOptions, Ledgers, ledgerDefaults } from './ledgers.ts'

export const ORG = 'org-1'
export const STREAM = `credits-${ORG}`

/** A clock that moves only when something sleeps. */
class SleepersClock implements Clock {
  time = Date.UTC(2026, 0, 15)
  now(): number {
    return this.time
  }
  async sleep(ms: number, _signal?: AbortSignal): Promise<void> {
    this.time += ms
  }
}

const metadata = (correlationId: string): EventMetadata => ({
  orgId: ORG,
  correlationId,
  causationId: 'test',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
})
export const entry = (command: CreditsCommand): LedgerEntry => ({
  command,
  metadata: metadata('jobId' in command ? command.jobId : 'operator'),
})
export const grant = (credits: number): LedgerEntry => entry({ type: 'grant', credits, by: 'command' })
export const debit = (jobId: string, full: number, least = full): LedgerEntry => entry(debitOf(jobId, full, least))
export const settle = (jobId: string, charged: number): LedgerEntry =>
  entry({ type: 'settle', jobId, charged, reason: 'completed' })

/**
 * One store with as many processes as a test needs.
 * @param storeAt makes a store that uses the clock; returns a function that opens it for one process
 */
export function onOneStore(storeAt: (clock: Clock) => () => EventStore, seed = 1) {
  const clock = new SleepersClock()
  const random = new Random(`${seed}`)
  const ids: Ids = { random: () => random.next(), uuid: () => random.uuid() }
  const open = storeAt(clock)
  const truth = open()
  return {
    clock,
    ids,
    process(options: Partial<LedgerOptions> = {}, log?: Logger) {
      const store = new ScriptedStore(open())
      const ledgers = new Ledgers({ store, clock, ids, ...(log && { log }) }, { ...ledgerDefaults, ...options })
      const run = (one: LedgerEntry, orgId = ORG): Promise<LedgerOutcome> => ledgers.execute(orgId, one)
      /** Gives the process all events of the store, including those that it has seen. */
      const feed = async (): Promise<void> => ledgers.take({ events: await truth.read(STREAM) })
      return { store, ledgers, run, feed }
    },
    stored: () => truth.read(STREAM),
    async fold(): Promise<Ledger> {
      return fold(credits, await truth.read(STREAM))
    },
  }
}
