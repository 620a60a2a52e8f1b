import { expect } from 'chai'
import { resultTypes } from '#packages/domain/job/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { Random } from '#test/doubles/random.ts'
import { checked, renumbered } from './checked-history.fixture.ts'
import { madeHistory } from './made-history.fixture.ts'
import type { Outcome } from './outcome.ts'
import type { Verified } from './verify-history.ts'

const SEEDS = 100

const brokenIn = ({ outcomes }: Verified): Outcome[] => outcomes.filter(({ broken }) => broken > 0)

/** The outcome of a check, found by a part of its description. */
function outcomeOf({ outcomes }: Verified, promise: string): Outcome {
  const found = outcomes.find((one) => one.promise.includes(promise))
  if (found === undefined) throw new Error(`nothing promises ${promise}`)
  return found
}

/** A faulty history, and the event that the check must name. */
type Faulty = { events: StoredEvent[]; named: Pick<StoredEvent, 'stream' | 'revision' | 'position'> }

type Fault = { promise: string; inject(events: readonly StoredEvent[], random: Random): Faulty }

const ofType = (events: readonly StoredEvent[], ...types: string[]): StoredEvent[] =>
  events.filter(({ type }) => types.includes(type))

/** Changes one value somewhere in the data of an event. */
function changed(data: unknown, random: Random): unknown {
  if (Array.isArray(data) && data.length > 0) {
    const at = random.between(0, data.length - 1)
    return data.map((value, index) => (index === at ? changed(value, random) : value))
  }
  if (Array.isArray(data) || data === null) return 'something'
  if (typeof data === 'object') {
    const name = random.pick(Object.keys(data))
    return { ...data, [name]: changed((data as Record<string, unknown>)[name], random) }
  }
  if (typeof data === 'number') return data + 1
  return typeof data === 'boolean' ? !data : `${data}x`
}

const faults: Record<string, Fault> = {
  'a lost settlement': {
    promise: 'settled once',
    inject(events, random) {
      const lost = random.pick(ofType(events, 'CreditsSettled'))
      const jobId = lost.type === 'CreditsSettled' ? lost.data.jobId : ''
      const named = ofType(events, 'JobCompleted', 'JobFailed').find(({ stream }) => stream === `job-${jobId}`)
      return { events: renumbered(events.filter((event) => event !== lost)), named: named as StoredEvent }
    },
  },
  'a second debit': {
    promise: 'debited once',
    inject(events, random) {
      const first = random.pick(ofType(events, 'CreditsDebited'))
      const after = random.pick(events.filter(({ position }) => position >= first.position))
      const again = { ...first, recordedAt: after.recordedAt, position: after.position + 0.5 }
      const all = renumbered(events.flatMap((event) => (event === after ? [event, again] : [event])))
      return { events: all, named: all.find(({ position }) => position === again.position) as StoredEvent }
    },
  },
  'a changed result': {
    promise: 'holds what was written',
    inject(events, random) {
      const named = random.pick(ofType(events, ...resultTypes))
      const other = { ...named, data: changed(named.data, random) } as StoredEvent
      return { events: events.map((event) => (event === named ? other : event)), named }
    },
  },
  'a gap in revisions': {
    promise: 'revisions have no gaps',
    inject(events, random) {
      const lost = random.pick(events.filter((event) => following(events, event) !== undefined))
      return { events: events.filter((event) => event !== lost), named: following(events, lost) as StoredEvent }
    },
  },
  'a stream out of order': {
    promise: 'come in order',
    inject(events, random) {
      const one = random.pick(events.filter((event) => following(events, event) !== undefined))
      const other = following(events, one) as StoredEvent
      const { position, recordedAt } = one
      const early = { ...other, position, recordedAt }
      const late = { ...one, position: other.position, recordedAt: other.recordedAt }
      const swapped = events.map((event) => (event === one ? early : event === other ? late : event))
      return { events: swapped, named: early }
    },
  },
}

const following = (events: readonly StoredEvent[], { stream, revision }: StoredEvent): StoredEvent | undefined =>
  events.find((event) => event.stream === stream && event.revision === revision + 1)

describe('the invariants of a history', () => {
  it('hold in what the deciders make, whatever happens in it', async () => {
    const types = new Set<string>()
    for (let seed = 1; seed <= SEEDS; seed++) {
      const events = madeHistory(seed)
      for (const { type } of events) types.add(type)
      const verified = await checked(events)
      expect(brokenIn(verified), `seed ${seed}`).to.deep.equal([])
      expect(verified.events).to.equal(events.length)
    }
    expect([...types]).to.include.members(['CreditsRenewed', 'JobFailed', 'LeaseExtended', 'ExtractionProduced'])
  })

  for (const [name, { promise, inject }] of Object.entries(faults))
    it(`names the first event where there is ${name}, in each of ${SEEDS} histories`, async () => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { events, named } = inject(madeHistory(seed), new Random(`${name} ${seed}`))
        const { first } = outcomeOf(await checked(events), promise)
        const { stream, revision, position } = named
        expect(first, `seed ${seed}`).to.include({ stream, revision, position })
      }
    })
})
