import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { until } from '#test/doubles/service/until.ts'
import { LoopMonitor } from './loop-monitor.ts'

/** Holds this thread until it has used this much processor time, however busy the machine is. */
function hold(ms: number): void {
  const used = (): number => process.threadCpuUsage().user + process.threadCpuUsage().system
  for (const end = used() + ms * 1000; used() < end; );
}

describe('the monitor of the event loop', () => {
  type Held = { level: string; heldMs: number; cpuMs: number; routes: string[]; msg: string }
  const heldIn = (lines: readonly string[]): Held[] =>
    lines.map((line) => JSON.parse(line) as Held).filter(({ msg }) => msg === 'the event loop was held')

  it('names the routes of requests that began or were answered while the loop was held, each once', async () => {
    const { log, lines } = keptLog()
    using monitor = new LoopMonitor(log)
    const later = { route: '' }
    monitor.note({ route: '/v1/jobs' })
    monitor.note({ route: '/v1/jobs' })
    monitor.note(later)
    later.route = '/v1/me'
    monitor.note({ route: '' })
    hold(150)
    const [held] = await until('it is logged', () => heldIn(lines).length > 0 && heldIn(lines))
    expect(held?.routes).to.deep.equal(['/v1/jobs', '/v1/me', 'no route'])
    expect(held?.cpuMs).to.be.at.least(150)
    expect(held?.heldMs).to.be.above(100)
  })

  it('names no request from before the loop was held', async () => {
    const { log, lines } = keptLog()
    using monitor = new LoopMonitor(log)
    const isHeld = (times: number) => () => heldIn(lines).length >= times && heldIn(lines)
    monitor.note({ route: '/v1/jobs' })
    hold(150)
    const before = await until('it is logged', isHeld(1))
    hold(150)
    const held = await until('it is logged again', isHeld(before.length + 1))
    expect(held.at(-1)?.routes).to.deep.equal([])
  })

  it('sees background work at rest, and a request that ends the rest', async () => {
    const { log, lines } = keptLog()
    using monitor = new LoopMonitor(log, 50)
    hold(200)
    const [alone] = await until('it is logged', () => heldIn(lines).length > 0 && heldIn(lines))
    expect(alone?.routes).to.deep.equal([])
    const before = heldIn(lines).length
    monitor.note({ route: '/v1/jobs' })
    hold(150)
    const held = await until('it is logged again', () => heldIn(lines).length > before && heldIn(lines))
    expect(held[before]?.routes).to.deep.equal(['/v1/jobs'])
  })

  it('checks as often for other work as for requests: it sees a hold in it, and reports how long it took', async () => {
    const { log, lines } = keptLog()
    using _monitor = new LoopMonitor(log, 400)
    for (const end = performance.now() + 900; performance.now() < end; await sleep(1)) hold(5)
    const before = heldIn(lines).length
    hold(150)
    const held = await until('it is logged', () => heldIn(lines).length > before && heldIn(lines))
    expect(held[before]?.cpuMs).to.be.within(150, 300)
  })
})
