import { expect } from 'chai'
import { FairMutex } from './fair-mutex.ts'

const signal = new AbortController().signal

describe('turns of a fair mutex', () => {
  /** Requests a turn for each name (first letter: its sharer) while another has one. @returns the order of turns */
  const orderOf = async (...names: string[]): Promise<string[]> => {
    const mutex = new FairMutex()
    const order: string[] = []
    let atWork = 0
    const all = ['z', ...names].map((name) =>
      mutex.run(name.slice(0, 1), signal, async () => {
        expect(++atWork).to.equal(1)
        order.push(name)
        await new Promise(setImmediate)
        atWork--
      }),
    )
    await Promise.all(all)
    return order.slice(1)
  }

  it('alternate among the sharers, in order within each', async () => {
    expect(await orderOf('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2')).to.deep.equal([
      'a1',
      'b1',
      'c1',
      'a2',
      'b2',
      'a3',
      'a4',
    ])
  })

  it('go to another sharer first, even if the current one has queued more before', async () => {
    expect(await orderOf('z1', 'z2', 'b1')).to.deep.equal(['b1', 'z1', 'z2'])
  })

  it('continue after work that failed, and skip callers that gave up', async () => {
    const mutex = new FairMutex()
    const first = mutex.run('a', signal, () => Promise.reject(new Error('failed'))).catch(({ message }) => message)
    const hasty = new AbortController()
    const second = mutex.run('a', hasty.signal, () => expect.fail('was given up')).catch((reason) => reason)
    const third = mutex.run('b', signal, async () => 'done')
    hasty.abort('gone')
    expect(await Promise.all([first, second, third])).to.deep.equal(['failed', 'gone', 'done'])
    expect(await mutex.run('a', signal, async () => 'again')).to.equal('again')
  })
})
