import { expect } from 'chai'
import { Account } from '#packages/history/questions/verify/account.ts'
import { pausedAt } from '#test/doubles/paused-store.ts'
import { changePlan, debit, grant, ORG, settle, storeAfter } from './ledger.harness.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { Ledgers } from './ledgers.ts'

const acts: Record<string, () => LedgerEntry> = {
  'a debit': () => debit('new', 5),
  'the settlement of a job': () => settle('open', 2),
  'its cancellation': () => settle('open', 0, 'cancelled'),
  'a plan': () => changePlan('starter'),
}
const names = Object.keys(acts)

/**
 * Three processes with one ledger in memory. One of them is paused at its `nth` operation of the store, while
 * `meanwhile` runs on the two others.
 * @param turns a new month has begun since they read the ledger
 */
async function threeOn(meanwhile: (others: Ledgers[]) => Promise<unknown>, nth: number, turns: boolean) {
  const harness = await storeAfter([grant(10), grant(20), debit('open', 5)])
  const { clock, ids, process } = harness
  const others = [process().ledgers, process().ledgers]
  const paused = pausedAt(process().store, nth, () => meanwhile(others))
  const own = new Ledgers({ store: paused.store, clock, ids })
  for (const ledgers of [own, ...others]) await ledgers.known(ORG)
  if (turns) clock.time = Date.UTC(2026, 1, 1)
  return { ...harness, own, wasMet: paused.wasMet }
}

describe('three processes on one ledger', () => {
  for (const turns of [false, true])
    it(`carry out each command once, wherever two meet the third${turns ? ', as a month turns' : ''}`, async () => {
      for (const first of names)
        for (const [index, second] of names.entries()) {
          const third = names[(index + 1) % names.length] as string
          const run = (ledgers: Ledgers, name: string) => ledgers.execute(ORG, (acts[name] as () => LedgerEntry)())
          let isMet = true
          for (let nth = 2; isMet; nth++) {
            const both = ([one, other]: Ledgers[]) =>
              Promise.all([run(one as Ledgers, second), run(other as Ledgers, third)])
            const made = await threeOn(both, nth, turns)
            await run(made.own, first)
            isMet = made.wasMet()
            const asked = new Set(isMet ? [first, second, third] : [first])
            const events = await made.stored()
            const count = (type: string) => events.filter((event) => event.type === type).length
            const where = `${first}, met at moment ${nth} by ${second} and ${third}`
            const ends = asked.has('the settlement of a job') || asked.has('its cancellation')
            expect(count('CreditsSettled'), where).to.equal(Number(ends))
            expect(count('CreditsDebited'), where).to.equal(1 + Number(asked.has('a debit')))
            expect(count('PlanChanged'), where).to.equal(Number(asked.has('a plan')))
            const account = new Account()
            for (const event of events) expect(account.apply(event), where).to.deep.equal([])
            expect((await made.fold()).balance, where).to.equal(account.balance)
          }
        }
    })
})
