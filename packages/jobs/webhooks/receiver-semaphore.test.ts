import { expect } from 'chai'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { ReceiverSemaphore } from './receiver-semaphore.ts'

describe('permits for the requests to a receiver', () => {
  const begin = (limits: { atOnce: number; perSecond: number }) => {
    const clock = new ManualClock()
    const turns = new ReceiverSemaphore(clock, limits)
    const begun: string[] = []
    const held: Disposable[] = []
    const end = new AbortController()
    const ask = (name: string, what: string, owner = 'acme'): void =>
      void turns.acquire({ name, owner }, end.signal).then(
        async (turn) => {
          held.push(turn)
          await turn.begin()
          begun.push(what)
        },
        () => begun.push(`${what} gave up`),
      )
    return { clock, begun, held, ask, end }
  }

  it('have a limit at once for each receiver, in order, and other receivers do not wait', async () => {
    const { begun, held, ask } = begin({ atOnce: 2, perSecond: 100 })
    for (const what of ['a1', 'a2', 'a3', 'a4']) ask('a', what)
    ask('b', 'b1')
    await settle()
    expect(begun).to.deep.equal(['a1', 'a2', 'b1'])
    held[0]?.[Symbol.dispose]()
    await settle()
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3'])
  })

  it('of one receiver go to organizations in turn, however much one of them has to send', async () => {
    const { begun, held, ask } = begin({ atOnce: 1, perSecond: 100 })
    for (const what of ['a1', 'a2', 'a3', 'a4']) ask('host', what, 'a')
    for (const what of ['b1', 'b2']) ask('host', what, 'b')
    for (let n = 0; n < 6; n++) {
      await settle()
      held[n]?.[Symbol.dispose]()
    }
    expect(begun).to.deep.equal(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
  })

  it('have a limit per second for each receiver', async () => {
    const { clock, begun, ask } = begin({ atOnce: 100, perSecond: 3 })
    for (let n = 0; n < 8; n++) ask('a', `${n}`)
    ask('b', 'b')
    await settle()
    expect(begun).to.deep.equal(['0', '1', '2', 'b'])
    await clock.advance(1000)
    expect(begun).to.have.length(7)
    await clock.advance(1000)
    expect(begun).to.have.length(9)
  })

  it('are released by a caller that stops waiting, and go to the next', async () => {
    const { begun, held, ask, end } = begin({ atOnce: 1, perSecond: 100 })
    ask('a', 'first')
    ask('a', 'second')
    await settle()
    end.abort(new Error('it stops'))
    await settle()
    expect(begun).to.deep.equal(['first', 'second gave up'])
    expect(() => held[0]?.[Symbol.dispose]()).to.not.throw()
  })
})
