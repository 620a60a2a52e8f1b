import { expect } from 'chai'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import {
  asIfRecorded,
  type CreditsCommand,
  credits,
  decideTogether,
  inMonthOf,
} from '#packages/domain/credits/credits.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { balanceAsOf, jobAsOf, keyAsOf } from './as-of.ts'
import { goldenStore, stored, storeOf } from './history-store.fixture.ts'

const START = Date.UTC(2026, 0, 10)
const DAY_MS = 86_400_000

/** A ledger of a busy organization, with statements and renewals: one command every hour and a half. */
function busyLedger(commands: number): StoredEvent[] {
  const events: StoredEvent[] = []
  let state = credits.initialState
  const execute = (command: CreditsCommand, now: number): void => {
    const decided = decideTogether([command], inMonthOf(state, now))
    for (const event of decided.events)
      events.push(stored(event, { revision: events.length, position: events.length + 1, recordedAt: now }))
    state = fold(credits, events)
  }
  execute({ type: 'register', by: 'command' }, START)
  execute({ type: 'change-plan', plan: 'pro', by: 'command' }, START)
  for (let n = 0; n < commands; n++) {
    const now = START + n * 5_400_000
    if (n % 2 === 0) execute(debit(`job-${n}`, 5, 1), now)
    else execute({ type: 'settle', jobId: `job-${n - 1}`, charged: 1, reason: 'completed' }, now)
  }
  return events
}

describe('a balance as of a time', () => {
  const events = busyLedger(900)
  const store = storeOf(events)
  const balanceOf = async (instant: number) => (await balanceAsOf(store, 'org-1', instant)).state

  it('is that of all events recorded by then, whatever was stated in between', async () => {
    expect(events.filter(({ type }) => type === 'CreditsStated').length).to.be.greaterThan(3)
    for (let index = 0; index < events.length; index += 37) {
      const instant = (events[index] as StoredEvent).recordedAt + 1
      const until = events.findLastIndex(({ recordedAt }) => recordedAt <= instant)
      const whole = fold(credits, events.slice(0, until + 1))
      const { held: _, ...ledger } = await balanceOf(instant)
      expect(ledger).to.deep.equal(whole)
    }
  })

  it('has the renewal of a month that had begun, as the service would have answered', async () => {
    const end = events.at(-1)?.recordedAt ?? 0
    const later = end + 40 * DAY_MS
    const { balance } = await balanceOf(later)
    expect(balance)
      .to.equal(asIfRecorded(fold(credits, events), later).balance)
      .and.to.equal(2000)
    expect((await balanceOf(end)).balance).to.be.below(2000)
  })

  it('tells what is held, and the last event that counts', async () => {
    const index = events.findIndex(({ type }) => type === 'CreditsDebited')
    const { recordedAt } = events[index] as StoredEvent
    const { state, last } = await balanceAsOf(store, 'org-1', recordedAt)
    expect(state).to.include({ held: 5, balance: 2045 })
    expect(last).to.deep.equal({ stream: 'credits-org-1', revision: index, position: index + 1, recordedAt })
  })

  it('is that of nobody before the first event', async () => {
    const { state, last } = await balanceAsOf(store, 'org-1', START - 1)
    expect(state).to.include({ exists: false, balance: 0 })
    expect(last).to.equal(undefined)
  })

  it('reads little of a long ledger', async () => {
    const counted = storeOf(events)
    await balanceAsOf(counted, 'org-1', START + 20 * DAY_MS)
    expect(counted.reads).to.be.at.most(20)
  })
})

describe('a job and a key as of a time', () => {
  const store = goldenStore()
  const jobId = '3f2504e0-4f89-41d3-9a0c-0305e82c3303'

  it('are folded from the events recorded by then', async () => {
    const [requested] = await store.read(`job-${jobId}`)
    const at = requested?.recordedAt ?? 0
    expect((await jobAsOf(store, jobId, at - 1)).state).to.deep.equal({ status: 'none' })
    const { state } = await jobAsOf(store, jobId, at + 1013)
    expect(state).to.include({ status: 'open', fetched: true, captions: 'unread' })
    expect((await jobAsOf(store, jobId, at + 60_000)).state).to.include({ status: 'completed', credits: 5 })
  })

  it('show a key before and after it was revoked', async () => {
    for await (const { events } of store.follow({
      after: 0,
      prefixes: ['key-'],
      signal: new AbortController().signal,
    })) {
      const revoked = events.find(({ type }) => type === 'KeyRevoked')
      if (revoked === undefined) continue
      const keyId = revoked.stream.slice('key-'.length)
      expect((await keyAsOf(store, keyId, revoked.recordedAt - 1)).state.status).to.equal('active')
      expect((await keyAsOf(store, keyId, revoked.recordedAt)).state.status).to.equal('revoked')
      return
    }
    throw new Error('no golden key is revoked')
  })
})
