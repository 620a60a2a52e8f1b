import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { WakeUps } from './wake-ups.ts'

describe('WakeUps', () => {
  let clock: ManualClock
  let wakeUps: WakeUps
  let woken: string[]
  beforeEach(() => {
    clock = new ManualClock(0)
    wakeUps = new WakeUps(clock)
    woken = []
  })
  afterEach(() => wakeUps[Symbol.dispose]())
  const set = (name: string, at: number) => wakeUps.set(at, () => void woken.push(`${name} at ${clock.now()}`))

  it('calls back at the instants, in order, each once', async () => {
    set('late', 9000)
    set('early', 300)
    set('middle', 4500)
    await clock.advance(20_000)
    expect(woken).to.deep.equal(['early at 300', 'middle at 4500', 'late at 9000'])
  })

  it('does not call a cancelled one', async () => {
    const back = set('taken back', 500)
    set('kept', 600)
    wakeUps.cancel(back)
    await clock.advance(1000)
    expect(woken).to.deep.equal(['kept at 600'])
  })

  it('may be set from a callback', async () => {
    wakeUps.set(100, () => set('again', 250))
    await clock.advance(1000)
    expect(woken).to.deep.equal(['again at 250'])
  })

  it('is at most a second late if the clock is set forward', async () => {
    const sleeping = { now: () => clock.now() + ahead, sleep: (ms: number, end?: AbortSignal) => clock.sleep(ms, end) }
    let ahead = 0
    const own = new WakeUps(sleeping)
    const deadline = own.set(60_000, () => {})
    ahead = 86_400_000
    own.set(sleeping.now() + 300, () => void woken.push(`after ${clock.now()}`))
    own.cancel(deadline)
    await clock.advance(1000)
    expect(woken).to.deep.equal(['after 1000'])
    own[Symbol.dispose]()
  })
})
