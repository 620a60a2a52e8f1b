import { expect } from 'chai'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { givenTo } from '../given.harness.ts'
import { dueAt } from './due.ts'
import { newsIn } from './news.ts'
import { isKnown, type KnownWatch, type NewVideo, type WatchEvent } from './state.ts'
import { type LookResult, type WatchCommand, watch } from './watch.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const start = Date.UTC(2026, 0, 1, 12)
const orgId = 'acme'
const created = {
  type: 'WatchCreated',
  data: {
    ...{ orgId, source: {}, everySeconds: 3600, request: null, maxCreditsPerMonth: null },
    ...{ backfill: 0, keyId: null, webhookId: null },
  },
} satisfies DomainEvent<'WatchCreated'>

const video = (id: string, publishedAt: number | null = start + 1): NewVideo => ({
  id,
  url: id,
  title: null,
  publishedAt,
})
const nothing: LookResult = { found: [], seen: [], failure: null }

/** Given events, a minute apart. */
const after = givenTo(watch, (index) => start + index * 60_000)
const given = (...events: WatchEvent[]) => after(created, ...events)

const known = (...events: WatchEvent[]): KnownWatch => {
  const state = given(...events)
  if (!isKnown(state)) throw new Error('there is none')
  return state
}

const looked = (look: number, result: Partial<LookResult>): WatchEvent => {
  const [event] = watch.decide({ type: 'look', now: start, ...nothing, ...result }, known())
  if (event?.type !== 'WatchLooked') throw new Error('nothing was noted')
  return { ...event, data: { ...event.data, look } }
}

const typesOf = (command: WatchCommand, state = given()): string[] =>
  watch.decide(command, state).map(({ type }) => type)

describe('a watch', () => {
  it('finds each id once, with consecutive numbers', () => {
    const first = looked(1, { found: [video('a')], seen: ['b'] })
    const found = [video('a'), video('c'), video('c')]
    const again = { type: 'look', now: start, ...nothing, found, seen: ['b'] } as const
    const [second] = watch.decide(again, given(first))
    if (second?.type !== 'WatchLooked') throw new Error('nothing was noted')
    expect(second.data).to.deep.include({ look: 2, found: [video('c')], seen: [] })
    expect(known(first, second).found.map(({ id, number }) => [id, number])).to.deep.equal([
      ['a', 1],
      ['c', 2],
    ])
  })

  it('records an empty look at most once an hour, and each change of its failure at once', () => {
    const state = given(looked(1, { seen: ['a'] }))
    expect(typesOf({ type: 'look', now: start + 30 * 60_000, ...nothing }, state)).to.deep.equal([])
    expect(typesOf({ type: 'look', now: start + 90 * 60_000, ...nothing }, state)).to.deep.equal(['WatchLooked'])
    const failure = { type: 'look', now: start + 60_000, ...nothing, failure: 'upstream_error' } as const
    expect(typesOf(failure, state)).to.deep.equal(['WatchLooked'])
  })

  it('gives up a source that never existed or fails for a week, but not an empty one', () => {
    const failing = (failure: string, now = start + 60_000) => ({ type: 'look', now, ...nothing, failure }) as const
    expect(typesOf(failing('not_found'))).to.deep.equal(['WatchLooked', 'WatchPaused'])
    expect(typesOf(failing('upstream_error'))).to.deep.equal(['WatchLooked'])
    for (const [code, types] of [
      ['not_found', ['WatchLooked', 'WatchPaused']],
      ['empty', ['WatchLooked']],
    ] as const) {
      const state = given(looked(1, { seen: ['a'] }), looked(2, { failure: code }))
      expect(typesOf(failing(code, start + 6 * DAY_MS), state)).to.deep.equal(['WatchLooked'])
      expect(typesOf(failing(code, start + 8 * DAY_MS), state)).to.deep.equal(types)
    }
  })

  it('begins the job of each number once', () => {
    const job = (number: number) => ({ number, jobId: `j${number}`, credits: 1, code: null })
    const found = looked(1, { found: [video('a'), video('b')] })
    const begun: WatchEvent = { type: 'WatchJobsBegun', data: { orgId, jobs: [job(1)] } }
    const decided = watch.decide({ type: 'begin', jobs: [job(1), job(2), job(3)] }, given(found, begun))
    expect(decided).to.deep.equal([{ type: 'WatchJobsBegun', data: { orgId, jobs: [job(2)] } }])
  })

  it('is paused, resumed and removed only by its own organization', () => {
    for (const type of ['pause', 'remove'] as const)
      expect(typesOf({ type, orgId: 'other', reason: 'asked' } as WatchCommand)).to.deep.equal([])
    const paused = given({ type: 'WatchPaused', data: { orgId, reason: 'asked' } })
    expect(typesOf({ type: 'look', now: start, ...nothing, seen: ['a'] }, paused)).to.deep.equal([])
    expect(typesOf({ type: 'resume', orgId }, paused)).to.deep.equal(['WatchResumed'])
    expect(typesOf({ type: 'resume', orgId })).to.deep.equal([])
  })

  it('looks at the same instants as every other watch of its source, and sooner after a failure', () => {
    const state = known()
    const at = start + 17 * 60_000
    const hourly = dueAt(state, 12_345, at)
    expect(hourly)
      .to.equal(dueAt(state, 12_345, at + 60_000))
      .and.to.be.within(at + 1, at + 3_600_000)
    const daily = dueAt({ ...state, everySeconds: 86_400 }, 12_345, at)
    expect((daily - hourly) % 3_600_000).to.equal(0)
    expect(dueAt({ ...state, everySeconds: 86_400, failure: { code: 'x', since: 0 } }, 12_345, at)).to.equal(
      at + 900_000,
    )
    expect(dueAt(state, 12_345, null), 'at once').to.equal(start)
  })

  it('counts videos published between its creation and a late first look as new', () => {
    const items = [video('new', start + DAY_MS), video('old', start - DAY_MS), video('unknown', null)]
    const question = { items, isPlaylist: false, now: start + DAY_MS }
    expect(newsIn(known(), question, new Map())).to.deep.equal({
      found: [items[0]],
      seen: ['old', 'unknown'],
      failure: null,
    })
    const day = Date.UTC(2026, 0, 1)
    const dates = new Map([['unknown', day]])
    const { found } = newsIn(known(), question, dates)
    expect(found.map(({ id }) => id)).to.include('unknown', 'only its day is known')
  })
})
