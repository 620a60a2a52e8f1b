import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { credits } from '#packages/domain/credits/credits.ts'
import { fold as foldEvents } from '#packages/event-sourcing/decider.ts'
import { debit, grant, memory, ORG, onOneStore, settle } from './ledger.harness.ts'

describe('the ledgers of two processes, on one store that loses answers', () => {
  for (let seed = 1; seed <= 25; seed++)
    it(`lose nothing and do nothing twice, in any interleaving (seed ${seed})`, () => interleaved(seed))
})

/** Two processes send many commands to one ledger at once. Any call may be delayed or lose its answer. */
async function interleaved(seed: number): Promise<void> {
  const { ids, process, stored, fold } = onOneStore(memory, seed)
  const chance = (probability: number): boolean => ids.random() < probability
  const dawdle = async (): Promise<void> => {
    while (chance(0.4)) await setImmediate()
  }
  const processes = [process({ giveUpAfterMs: 600_000 }), process({ giveUpAfterMs: 600_000 })]
  for (const { store } of processes) {
    store.beforeRead = dawdle
    store.fault = async (_stream, _events, proceed) => {
      await dawdle()
      if (chance(0.1)) throw new Error('not sent')
      const answer = await proceed()
      await dawdle()
      if (chance(0.2)) throw new Error('connection lost')
      return answer
    }
  }
  await processes[0]?.run(grant(60))

  const tally = { granted: 60, debited: new Map<string, number>() }
  const jobs = Array.from({ length: 25 }, (_, index) => `job-${index}`)
  const actor = async (own: (typeof processes)[number]): Promise<void> => {
    for (const jobId of jobs.filter(() => chance(0.6))) {
      await dawdle()
      const outcome = await own.run(debit(jobId, 5, 1))
      if (outcome.type === 'debited') tally.debited.set(jobId, outcome.credits)
      if (chance(0.3)) {
        await own.run(grant(3))
        tally.granted += 3
      }
    }
  }
  const settling = async (own: (typeof processes)[number]): Promise<void> => {
    for (const jobId of jobs.filter(() => chance(0.7))) {
      await dawdle()
      await own.run(settle(jobId, 1))
    }
  }
  await Promise.all(processes.flatMap((own) => [actor(own), actor(own), settling(own), settling(own)]))

  const events = await stored()
  const granted = events.map((event) => (event.type === 'CreditsGranted' ? event.data.credits : 0))
  expect(granted.reduce((total, credits) => total + credits, 0)).to.equal(tally.granted)
  let state = credits.initialState
  for (const event of events) {
    const ledger = state
    if (event.type === 'CreditsDebited') expect(ledger.openDebits.has(event.data.jobId)).to.equal(false)
    if (event.type === 'CreditsSettled') {
      const { jobId, charged, refunded } = event.data
      expect(ledger.openDebits.get(jobId)?.credits).to.equal(charged + refunded)
    }
    state = foldEvents(credits, [event], state)
    expect(state.balance).to.be.at.least(0)
  }
  const debitedJobs = new Set(events.flatMap((event) => (event.type === 'CreditsDebited' ? [event.data.jobId] : [])))
  expect([...tally.debited.keys()].sort()).to.deep.equal([...debitedJobs].sort())
  for (const { ledgers } of processes) expect(await ledgers.current(ORG)).to.deep.equal(await fold())
}
