import { expect } from 'chai'
import { PartitionTurns } from './partition-turns.ts'

describe('PartitionTurns', () => {
  it('gives each publication of a topic the next partition', () => {
    const turns = new PartitionTurns(new Map([['a', 4]]))
    const taken = Array.from({ length: 12 }, (_, n) => turns.take('a', `job-${n}`))
    const first = taken[0] ?? 0
    expect(taken).to.deep.equal(taken.map((_, n) => (first + n) % 4))
  })

  it('never gives a repeated publication the partition of the time before', () => {
    const turns = new PartitionTurns(new Map([['a', 3]]))
    let last = turns.take('a', 'again')
    for (let n = 0; n < 300; n++) {
      for (let others = 0; others < n % 5; others++) turns.take('a', `other-${n}-${others}`)
      const next = turns.take('a', 'again')
      expect(next).to.not.equal(last)
      last = next
    }
  })

  it('gives the only partition every time', () => {
    const turns = new PartitionTurns(new Map([['a', 1]]))
    expect([turns.take('a', 'x'), turns.take('a', 'x')]).to.deep.equal([0, 0])
  })
})
