import { expect } from 'chai'
import { fold } from '#packages/event-sourcing/decider.ts'
import { accepted, added, batchRequested, itemsOf } from './batch.fixture.ts'
import { type BatchCommand, batch } from './batch.ts'
import type { ItemEnd, Proceeding } from './proceed.ts'
import type { BatchEvent } from './state.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

/** The batch after these events. A number before an event is its instant; the first is at 0. */
const given = (...events: readonly (BatchEvent | number)[]) => {
  let at = 0
  const recorded = events.flatMap((event) => {
    if (typeof event !== 'number') return [{ ...event, recordedAt: at }]
    at = event
    return []
  })
  const state = fold(batch, recorded)
  const when = (command: BatchCommand) => [...batch.decide(command, state)]
  const proceed = (more: Partial<Proceeding> = {}) =>
    when({ type: 'proceed', now: at, ends: [], room: 20, waits: new Set(), ...more })
  return { state, when, proceed }
}

/** Each item is begun at its first attempt, unless another is given. */
const begun = (...items: (number | { item: number; attempt: number })[]): BatchEvent => ({
  type: 'BatchItemsBegun',
  data: { items: items.map((item) => (typeof item === 'number' ? { item, attempt: 1 } : item)) },
})
const ended = (...items: (Partial<ItemEnd> & { item: number; again?: number | null })[]): BatchEvent => ({
  type: 'BatchItemsEnded',
  data: { items: items.map((end) => ({ attempt: 1, code: null, charged: 10, again: null, ...end })) },
})
const batchEnded = (data: object) => {
  return { type: 'BatchEnded', data: { completed: 0, failed: 0, cancelled: 0, charged: 0, webhookId: null, ...data } }
}
const completed = (item: number, charged = 10): ItemEnd => ({ item, attempt: 1, code: null, charged })
const failed = (item: number, code: string, attempt = 1): ItemEnd => ({ item, attempt, code, charged: 0 })

describe('a batch', () => {
  it('is requested with its first items, and accepts later ones once each, in order', () => {
    const first = { items: itemsOf(2), isLast: false, next: null }
    const request = given().when({ type: 'request', batch: batchRequested(), ...first })
    expect(request.map(({ type }) => type)).to.deep.equal(['BatchRequested', 'BatchItemsAdded'])
    const more = { type: 'add', items: itemsOf(1), isLast: true, next: null } as const
    expect(given(...request).when({ ...more, from: 2 })).to.deep.equal([added(itemsOf(1), { from: 2 })])
    expect(given(...request).when({ ...more, from: 0 }), 'they are there').to.deep.equal([])
    expect(given(...accepted).when({ ...more, from: 3 }), 'it has its last ones').to.deep.equal([])
  })

  it('begins as many items as there is room for, once all are there', () => {
    const [requested] = accepted as [BatchEvent]
    expect(given(requested, added(itemsOf(3), { isLast: false })).proceed()).to.deep.equal([])
    expect(given(...accepted).proceed({ room: 2 })).to.deep.equal([begun(0, 1)])
    expect(given(...accepted).proceed({ room: 0 })).to.deep.equal([])
  })

  it('begins what its hold covers, and ends the others uncharged once no job can return credits', () => {
    const short = [{ type: 'BatchRequested', data: batchRequested({ held: 15 }) } as const, added(itemsOf(3))]
    expect(given(...short).proceed()).to.deep.equal([begun(0)])
    expect(given(...short, begun(0)).proceed()).to.deep.equal([])
    const cheap = given(...short, begun(0)).proceed({ ends: [completed(0, 5)] })
    expect(cheap, 'what it did not cost pays for the next one').to.deep.equal([
      ended({ item: 0, charged: 5 }),
      begun(1),
    ])
    const rest = given(...short, begun(0)).proceed({ ends: [completed(0)] })
    const uncovered = { attempt: 0, code: 'insufficient_credits', charged: 0 }
    expect(rest.slice(1)).to.deep.equal([
      ended({ item: 1, ...uncovered }, { item: 2, ...uncovered }),
      batchEnded({ reason: 'completed', completed: 1, failed: 2, charged: 10, returned: 5 }),
    ])
  })

  it('accepts the end of a job once, and only of the job that it waits for', () => {
    const working = given(...accepted, begun(0, 1, 2))
    expect(working.proceed({ ends: [completed(1), { ...completed(2), attempt: 2 }] })).to.deep.equal([
      ended({ item: 1 }),
    ])
    expect(given(...accepted, begun(0, 1, 2), ended({ item: 1 })).proceed({ ends: [completed(1)] })).to.deep.equal([])
  })

  it('begins refused items again, ever later, and nothing else of that platform meanwhile', () => {
    const items = [...itemsOf(2, 'youtube'), ...itemsOf(1)]
    const both = [{ type: 'BatchRequested', data: batchRequested() } as const, added(items)]
    const [end] = given(...both, begun(0)).proceed({ ends: [failed(0, 'platform_blocked')], room: 0 })
    expect(end).to.deep.equal(ended({ item: 0, code: 'platform_blocked', charged: 0, again: 30 }))
    const after = given(...both, begun(0), 10 * SECOND, end as BatchEvent)
    expect(after.proceed({ now: 39 * SECOND }), 'that of another platform').to.deep.equal([begun(2)])
    const restarted = after.proceed({ now: 40 * SECOND })
    expect(restarted).to.deep.equal([begun({ item: 0, attempt: 2 }, 1, 2)])
    const again = given(...both, begun(0), end as BatchEvent, 40 * SECOND, ...(restarted as BatchEvent[]))
    const [later] = again.proceed({ ends: [failed(0, 'platform_blocked', 2)], room: 0 })
    expect(later).to.deep.equal(ended({ item: 0, attempt: 2, code: 'platform_blocked', charged: 0, again: 60 }))
  })

  it('lets a refused item fail, uncharged, a day after its first beginning', () => {
    const end = ended({ item: 0, code: 'platform_blocked', charged: 0, again: 30 })
    const atLast = given(...accepted, begun(0, 1, 2), ended({ item: 1 }, { item: 2 }), end).proceed({ now: 24 * HOUR })
    expect(atLast[0]).to.deep.equal(ended({ item: 0, code: 'platform_blocked', charged: 0 }))
    expect(atLast[1]?.data).to.deep.include({ reason: 'completed', completed: 2, failed: 1, charged: 20, returned: 10 })
  })

  it('lets a timed-out item begin twice more, and an impossible one not again', () => {
    const again = (code: string, attempt: number) => {
      const [first] = given(...accepted, begun({ item: 0, attempt })).proceed({
        ends: [failed(0, code, attempt)],
        room: 0,
      })
      return first?.type === 'BatchItemsEnded' ? first.data.items[0]?.again : 'nothing'
    }
    expect([again('timeout', 1), again('timeout', 2), again('timeout', 3)]).to.deep.equal([30, 60, null])
    expect([again('video_private', 1), again('not_accepted', 9)]).to.deep.equal([null, 0])
  })

  it('that is cancelled begins nothing more, and ends with its running jobs', () => {
    const cancel = { type: 'cancel', reason: 'asked', by: 'k2' } as const
    const cancelled: BatchEvent = { type: 'BatchCancelled', data: { reason: 'asked', by: 'k2' } }
    expect(given(...accepted, begun(0)).when(cancel)).to.deep.equal([cancelled])
    const over = given(...accepted, begun(0), cancelled)
    expect(over.when(cancel)).to.deep.equal([])
    const [requested] = accepted as [BatchEvent]
    expect(given(requested, cancelled, added(itemsOf(3))).proceed()[0]?.data, 'what comes later').to.deep.include({
      reason: 'cancelled',
      cancelled: 3,
    })
    expect(over.proceed()).to.deep.equal([])
    expect(over.proceed({ ends: [failed(0, 'platform_blocked')] })).to.deep.equal([
      ended({ item: 0, code: 'platform_blocked', charged: 0 }),
      batchEnded({ reason: 'cancelled', failed: 1, cancelled: 2, returned: 30 }),
    ])
  })

  it('that was cut off while it was requested ends not accepted, and costs nothing', () => {
    const [requested] = accepted as [BatchEvent]
    const half = given(requested, added(itemsOf(2), { isLast: false }))
    expect(half.proceed({ now: 59 * SECOND })).to.deep.equal([])
    const [end] = half.proceed({ now: 60 * SECOND })
    expect(end?.data).to.deep.include({ reason: 'not_accepted', charged: 0, returned: 30, webhookId: null })
    const refused = given().when({ type: 'refuse', heldAt: 0, now: 60 * SECOND })
    expect(refused.map(({ type }) => type)).to.deep.equal(['BatchEnded'])
    const late = { type: 'request', batch: batchRequested(), items: itemsOf(1), isLast: true, next: null } as const
    expect(given(...refused).when(late), 'a late request finds it refused').to.deep.equal([])
  })
})
