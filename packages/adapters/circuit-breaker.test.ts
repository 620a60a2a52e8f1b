import { expect } from 'chai'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { CircuitBreaker, PROBE_EVERY_MS } from './circuit-breaker.ts'

const never = () => new Promise<never>(() => {})

/** A breaker in front of a server that the test can take down. */
function circuit() {
  const clock = new ManualClock()
  const server = { isThere: true, probes: 0, away: [] as unknown[] }
  const breaker = new CircuitBreaker({
    clock,
    what: 'the server',
    async probe() {
      server.probes++
      if (!server.isThere) throw new Error('away')
    },
    isAway: (error) => error instanceof UnreachableError,
    onAway: (error) => void server.away.push(error),
    answerWithinMs: 500,
  })
  return { clock, server, breaker }
}

describe('a circuit breaker', () => {
  it('passes answers and errors on while the server answers', async () => {
    const { breaker, server } = circuit()
    expect(await breaker.call(async () => 7)).to.equal(7)
    const refusal = new RangeError('no such field')
    expect(await failureOf(breaker.call(() => Promise.reject(refusal)))).to.equal(refusal)
    breaker.assertClosed()
    expect(server).to.deep.include({ probes: 0, away: [] })
  })

  it('waits for an answer up to its limit, then fails calls at once until a probe is answered', async () => {
    const { breaker, server, clock } = circuit()
    server.isThere = false
    const first = failureOf(breaker.call(never))
    await clock.advance(500)
    expect(await first).to.be.instanceOf(UnreachableError)
    let asked = 0
    const ask = async () => asked++
    // The clock does not advance here.
    for (let n = 0; n < 10; n++) expect(await failureOf(breaker.call(ask))).to.be.instanceOf(UnreachableError)
    expect(() => breaker.assertClosed()).to.throw(UnreachableError)
    await clock.advance(3 * PROBE_EVERY_MS)
    expect([asked, server.probes, server.away.length]).to.deep.equal([0, 3, 1])
    server.isThere = true
    await clock.advance(PROBE_EVERY_MS)
    await breaker.call(ask)
    expect([asked, server.probes]).to.deep.equal([1, 4])
  })

  it('closes at once if the answer was only late', async () => {
    const { breaker, server, clock } = circuit()
    const { promise, resolve } = Promise.withResolvers<number>()
    const first = failureOf(breaker.call(() => promise))
    await clock.advance(500)
    expect(await first).to.be.instanceOf(UnreachableError)
    resolve(7)
    await promise
    expect(await breaker.call(async () => 8)).to.equal(8)
    await clock.advance(3 * PROBE_EVERY_MS)
    expect(server.probes).to.equal(0)
  })

  it('opens on an error that means the server is away', async () => {
    const { breaker, server } = circuit()
    const error = new UnreachableError('the server', undefined)
    expect(await failureOf(breaker.call(() => Promise.reject(error)))).to.equal(error)
    expect(() => breaker.assertClosed()).to.throw(UnreachableError)
    expect(server.away).to.deep.equal([error])
  })

  it('sends no probe after it is disposed of', async () => {
    const { breaker, server, clock } = circuit()
    await failureOf(breaker.call(() => Promise.reject(new UnreachableError('the server', undefined))))
    breaker[Symbol.dispose]()
    await clock.advance(10 * PROBE_EVERY_MS)
    expect(server.probes).to.equal(0)
  })
})
