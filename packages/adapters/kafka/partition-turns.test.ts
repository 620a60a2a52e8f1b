import { expect } from 'chai'
import { PartitionTurns } from './partition-turns.ts'

describe('PartitionTurns', () => {
  const turnsOf = (partitions: number) => new PartitionTurns(new Map([['a', partitions]]))
  const take = (turns: PartitionTurns, count: number, of = 'job') =>
    Array.from({ length: count }, (_, n) => turns.take('a', `${of}-${n}`))

  it('gives each publication that is sent alone the next partition', () => {
    const turns = turnsOf(4)
    const taken = Array.from({ length: 12 }, (_, n) => {
      const [partition = 0] = take(turns, 1, `${n}`)
      turns.sent('a')
      return partition
    })
    const first = taken[0] ?? 0
    expect(taken).to.deep.equal(taken.map((_, n) => (first + n) % 4))
  })

  it('gives publications that wait together one partition, four at most', () => {
    const turns = turnsOf(3)
    const [first = 0, ...rest] = take(turns, 3)
    expect(rest).to.deep.equal([first, first])
    turns.sent('a')
    const four = (turn: number) => Array.from({ length: 4 }, () => (first + turn) % 3)
    expect(take(turns, 8, 'later')).to.deep.equal([...four(1), ...four(2)])
  })

  it('never gives a repeated publication the same partition twice in a row', () => {
    const turns = turnsOf(3)
    let last = turns.take('a', 'again')
    for (let n = 0; n < 300; n++) {
      for (let others = 0; others < n % 5; others++) turns.take('a', `other-${n}-${others}`)
      if (n % 3 === 0) turns.sent('a')
      const next = turns.take('a', 'again')
      expect(next).to.not.equal(last)
      last = next
    }
  })

  it('gives the only partition every time', () => {
    const turns = turnsOf(1)
    expect([turns.take('a', 'x'), turns.take('a', 'x')]).to.deep.equal([0, 0])
  })
})
