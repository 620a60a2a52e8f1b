import { expect } from 'chai'
import { createNextHops } from './next-hop.ts'
import type { Transport } from './transport.ts'
import { TransportPool } from './transport-pool.ts'

describe('the pool of transports', () => {
  let closed: string[]
  let opened: string[]
  let pool: TransportPool
  const hops = createNextHops({ proxy: 'http://{session}.gw.example:1', platformProxies: {} })
  const hop = (session: string) => hops.of(undefined, session)
  beforeEach(() => {
    closed = []
    opened = []
    pool = new TransportPool(2, (proxy) => {
      const session = proxy?.hostname.split('.')[0] ?? ''
      opened.push(session)
      const transport: Partial<Transport> = {
        async [Symbol.asyncDispose]() {
          closed.push(session)
        },
      }
      return transport as Transport
    })
  })
  const use = (session: string) => pool.take(hop(session)).release()

  it('keeps the most recently used transports, and opens none twice', () => {
    for (const session of ['a', 'b', 'a', 'c', 'a']) use(session)
    expect([opened, closed, pool.size]).to.deep.equal([['a', 'b', 'c'], ['b'], 2])
  })

  it('closes no transport in use, but closes the surplus once it is released', () => {
    const [a, b, again] = [pool.take(hop('a')), pool.take(hop('b')), pool.take(hop('a'))]
    expect(again.transport).to.equal(a.transport)
    const c = pool.take(hop('c'))
    expect([pool.size, closed]).to.deep.equal([3, []])
    a.release()
    a.release()
    expect(closed, 'still in use by another').to.deep.equal([])
    again.release()
    expect([pool.size, closed]).to.deep.equal([2, ['a']])
    b.release()
    c.release()
    expect(closed).to.deep.equal(['a'])
  })

  it('closes all transports when disposed of, and opens none afterwards', async () => {
    pool.take(hop('a'))
    use('b')
    await pool[Symbol.asyncDispose]()
    expect(closed.sort()).to.deep.equal(['a', 'b'])
    expect(() => pool.take(hop('c'))).to.throw('closed')
  })
})
