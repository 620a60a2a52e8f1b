import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { clientOf } from '../authentication/admit.ts'
import { type Client, RequestScheduler } from './request-scheduler.ts'

const anonymous = (name: string): Client => ({ rank: 'anonymous', name })

/** Blocks the thread for this long, milliseconds. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('the turns of requests in the event loop', () => {
  let scheduler: RequestScheduler
  let done: string[]
  beforeEach(() => {
    scheduler = new RequestScheduler()
    done = []
  })
  const begin = (client: Client, what = client.name): void => scheduler.begin(client, () => void done.push(what))
  const all = async (count: number): Promise<void> => {
    while (done.length < count) await nextTurn()
  }

  it('leave the rest of each turn of the event loop to others, including after their promises', async () => {
    let passes = 0
    for (let n = 0; n < 60; n++)
      scheduler.begin(anonymous('flood'), async () => {
        for (let hop = 0; hop < 20; hop++) await undefined
        work(5)
        done.push('page')
      })
    let most = 0
    while (done.length < 60) {
      const before = done.length
      await nextTurn()
      passes++
      most = Math.max(most, done.length - before)
    }
    // One piece of work exceeds the share. The turn in which the test begins may count twice.
    expect(most).to.be.within(1, 2)
    expect(passes).to.be.at.least(30)
  })

  it('rotate over addresses: a thousand requests of one delay no other', async () => {
    for (let n = 0; n < 1000; n++) begin(anonymous('flood'))
    for (const name of ['one', 'other']) begin(anonymous(name))
    await all(1002)
    expect(done.slice(0, 3)).to.have.members(['flood', 'one', 'other'])
  })

  it('rotate over ranks: a thousand addresses get no more turns than all customers', async () => {
    for (let n = 0; n < 1000; n++) begin(anonymous(`address ${n}`), 'anonymous')
    for (let n = 0; n < 3; n++) begin({ rank: 'known', name: `customer ${n}` }, 'customer')
    begin({ rank: 'probes', name: '' }, 'probe')
    await all(1004)
    expect(done.slice(0, 7).filter((who) => who !== 'anonymous')).to.have.members([
      ...['customer', 'customer', 'customer', 'probe'],
    ])
  })

  it('begin a request with a known key next, while 500 anonymous ones wait', async () => {
    for (let n = 0; n < 500; n++)
      scheduler.begin(anonymous(`address ${n}`), () => {
        work(1)
        done.push('anonymous')
      })
    await all(1)
    const before = done.length
    begin({ rank: 'known', name: 'customer' }, 'customer')
    await all(500)
    expect(done.indexOf('customer') - before).to.be.at.most(1)
  })

  it('rotate over the addresses of probes too: a flood at /ready delays no operator', async () => {
    const probe = (url: string, address: string) =>
      clientOf(
        { url, headers: {} },
        { address, keyHash: undefined },
        { keys: { held: () => undefined }, pages: undefined },
      )
    for (let n = 0; n < 1000; n++) begin(probe('/ready', '203.0.113.7'))
    begin(probe('/health?x', '203.0.113.8'))
    await all(1001)
    expect(done.indexOf('203.0.113.8')).to.be.below(3)
  })

  it('send answers before further requests of the same address begin', async () => {
    for (let n = 0; n < 3; n++) begin(anonymous('one'), 'begun')
    scheduler.send(anonymous('one'), () => void done.push('left'))
    await all(4)
    expect(done[0]).to.equal('left')
  })
})
