import { expect } from 'chai'
import { PartitionProgress } from './partition-progress.ts'

describe('PartitionProgress', () => {
  const received = (...offsets: number[]): PartitionProgress => {
    const progress = new PartitionProgress('t', 0, 'standard')
    for (const offset of offsets) progress.receive(offset)
    return progress
  }

  it('commits up to the first unfinished task, even if later ones are done', () => {
    const progress = received(5, 6, 7)
    progress.done(6)
    progress.done(7)
    expect(progress.due).to.equal(5)
    progress.committed(5)
    expect(progress.due).to.equal(undefined)
    progress.done(5)
    expect(progress.due).to.equal(8)
  })

  it('commits nothing before the first message, and no offset twice', () => {
    expect(received().due).to.equal(undefined)
    const progress = received(3)
    progress.done(3)
    progress.committed(progress.due ?? -1)
    expect(progress.due).to.equal(undefined)
  })

  it('recognizes uncommitted messages that come again after a rebalance', () => {
    const progress = received(1, 2, 3)
    progress.done(2)
    expect([1, 2, 3, 4].map((offset) => progress.receive(offset))).to.deep.equal([false, false, false, true])
  })

  it('accepts and commits new messages at old offsets after the topic was recreated', () => {
    const progress = received(7, 8)
    for (const offset of [7, 8]) progress.done(offset)
    progress.committed(9)
    expect(progress.receive(0)).to.equal(true)
    progress.done(0)
    expect(progress.due).to.equal(1)
  })
})
