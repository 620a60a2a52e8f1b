import { expect } from 'chai'
import type { Admin } from 'kafkajs'
import { PartitionProgress } from './partition-progress.ts'
import { StallWatch } from './stall-watch.ts'

describe('StallWatch', () => {
  let high = 0
  let committed = -1
  const admin = {
    fetchTopicOffsets: async () => [{ partition: 0, offset: String(high), high: String(high), low: '0' }],
    fetchOffsets: async () => [
      { topic: 't', partitions: [{ partition: 0, offset: String(committed), metadata: null }] },
    ],
  } as unknown as Admin
  let progress: PartitionProgress
  let watch: StallWatch
  beforeEach(() => {
    high = 0
    committed = -1
    progress = new PartitionProgress('t', 0, 'standard')
    // The watch reports a stall at the second look that finds the same offsets.
    watch = new StallWatch('g', 0)
  })
  const look = async (): Promise<boolean> => (await watch.look(admin, [progress])) === progress

  it('finds a consumer that stopped receiving while messages wait', async () => {
    progress.receive(4)
    high = 6
    expect([await look(), await look()]).to.deep.equal([false, true])
  })

  it('finds a consumer that has received nothing since it joined', async () => {
    committed = 2
    high = 3
    expect([await look(), await look()]).to.deep.equal([false, true])
  })

  it('finds a consumer that waits for an offset far beyond the end of a recreated topic', async () => {
    progress.receive(56)
    high = 3
    expect([await look(), await look()]).to.deep.equal([false, true])
  })

  it('ignores a consumer that makes progress, however many messages wait', async () => {
    high = 100
    for (let offset = 0; offset < 5; offset++) {
      progress.receive(offset)
      expect(await look()).to.equal(false)
    }
  })

  it('ignores a consumer that has no waiting messages', async () => {
    committed = 9
    high = 9
    expect([await look(), await look(), await look()]).to.deep.equal([false, false, false])
  })

  it('restarts its count after a partition was paused', async () => {
    progress.receive(0)
    high = 5
    expect(await look()).to.equal(false)
    await watch.look(admin, [])
    expect(await look()).to.equal(false)
  })
})
