import { expect } from 'chai'
import { type Decider, fold, isEventOf } from './decider.ts'

type DoorEvent = { type: 'Opened' } | { type: 'Closed' }

const door: Decider<{ isOpen: boolean; since: number }, { type: 'open' | 'close' }, DoorEvent> = {
  eventTypes: ['Opened', 'Closed'],
  initialState: { isOpen: false, since: 0 },
  evolve: (_, { type, recordedAt }) => ({ isOpen: type === 'Opened', since: recordedAt }),
  decide({ type }, { isOpen }) {
    if (type === 'open') return isOpen ? [] : [{ type: 'Opened' }]
    return isOpen ? [{ type: 'Closed' }] : []
  },
}

describe('folding events', () => {
  const opened = { type: 'Opened', recordedAt: 1 }
  const painted = { type: 'Painted', recordedAt: 2 }
  const closed = { type: 'Closed', recordedAt: 3 }

  it('begins with the initial state', () => {
    expect(fold(door, [])).to.equal(door.initialState)
  })

  it('evolves the state event by event, oldest first', () => {
    expect(fold(door, [opened, closed])).to.deep.equal({ isOpen: false, since: 3 })
    expect(fold(door, [closed, opened])).to.deep.equal({ isOpen: true, since: 1 })
  })

  it('continues from a state that was folded before', () => {
    expect(fold(door, [closed], fold(door, [opened]))).to.deep.equal(fold(door, [opened, closed]))
  })

  it('skips events of other kinds of streams', () => {
    expect(fold(door, [opened, painted])).to.deep.equal({ isOpen: true, since: 1 })
    expect([opened, painted, closed].map((event) => isEventOf(door, event))).to.deep.equal([true, false, true])
  })
})
