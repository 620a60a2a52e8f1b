import { expect } from 'chai'
import { inParallel } from './in-parallel.ts'

const never = new AbortController().signal

describe('bounded parallel work', () => {
  it('keeps the order of the items and the bound', async () => {
    let now = 0
    let most = 0
    const doubled = await inParallel([1, 2, 3, 4, 5, 6], 2, never, async (n) => {
      most = Math.max(most, ++now)
      await new Promise(setImmediate)
      now--
      return n * 2
    })
    expect(doubled).to.deep.equal([2, 4, 6, 8, 10, 12])
    expect(most).to.equal(2)
  })

  it('aborts the others at the first failure, waits for them, and throws it', async () => {
    const seen: string[] = []
    const work = async (n: number, signal: AbortSignal) => {
      if (n === 2) throw new Error('two failed')
      await new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => {
          seen.push('aborted')
          reject(signal.reason)
        }),
      )
    }
    const error = await inParallel([1, 2, 3], 2, never, work).catch((e: Error) => e)
    expect(error).to.be.an('error').with.property('message', 'two failed')
    expect(seen).to.deep.equal(['aborted'])
  })
})
