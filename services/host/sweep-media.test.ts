import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { sweepMedia } from './sweep-media.ts'

describe('sweeping the media cache', () => {
  it('happens every ten minutes, continues after a failure, and ends with the process', async () => {
    const clock = new ManualClock()
    const { log, lines } = keptLog()
    let sweeps = 0
    const sweep = async (): Promise<void> => {
      if (++sweeps === 1) throw new Error('the disk is away')
    }
    const sweeping = sweepMedia({ sweep }, { clock, log })
    await clock.advance(21 * 60_000)
    expect([sweeps, lines.length]).to.deep.equal([2, 1])
    await sweeping[Symbol.asyncDispose]()
    await clock.advance(60 * 60_000)
    expect(sweeps).to.equal(2)
  })
})
