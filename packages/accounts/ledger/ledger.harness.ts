import * as ledger from '#packages/domain/credits/credits.fixture.ts'
import { type CreditsCommand, credits } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { MemoryEventStore, MemoryEvents } from '#test/doubles/memory-event-store.ts'
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

export const entry = (command: CreditsCommand): LedgerEntry => ({
  command,
  metadata: { ...metadataOf(ORG), correlationId: 'jobId' in command ? command.jobId : 'operator' },
})
export const register = (): LedgerEntry => entry(ledger.register)
export const changePlan = (plan: Plan): LedgerEntry => entry(ledger.changePlan(plan))
export const grant = (credits: number): LedgerEntry => entry(ledger.grant(credits))
export const debit = (...of: Parameters<typeof ledger.debit>): LedgerEntry => entry(ledger.debit(...of))
export const settle = (...of: Parameters<typeof ledger.settle>): LedgerEntry => entry(ledger.settle(...of))

/** A store in memory for each process, with the same events. */
export const memory = (clock: Clock) => {
  const events = new MemoryEvents()
  return () => new MemoryEventStore({ clock, events })
}

/**
 * One store with as many processes as a test needs.
 * @param storeAt makes a store that uses the clock; returns a function that opens it for one process
 */
export function onOneStore(storeAt: (clock: Clock) => () => EventStore = memory, seed = 1) {
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

/** One store after these commands of a process, which is `one`, and `other`, which has not read the ledger yet. */
export async function storeAfter(commands: LedgerEntry[], options: Partial<LedgerOptions> = {}) {
  const harness = onOneStore()
  const [one, other] = [harness.process(options), harness.process()]
  for (const command of commands) await one.run(command)
  return { ...harness, ...one, one, other }
}

/** Two processes that know the ledger of ORG, which has 50 credits. */
export async function twoOnOneStore() {
  // A command that changes nothing reads the ledger: then the month is known.
  const harness = await storeAfter([grant(50), settle('none', 0)])
  await harness.other.ledgers.known(ORG)
  return harness
}
