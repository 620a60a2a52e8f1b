import { expect } from 'chai'
import { pino } from 'pino'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { get, Peer } from '#test/doubles/service/peer.ts'
import { Readiness } from './readiness.ts'
import { serveStatus } from './status-server.ts'

describe('the status of a service', () => {
  it('reports whether the process lives, whether it can work or why not, and external problems', async () => {
    const clock = new ManualClock()
    let problem: string | undefined = 'it is behind'
    const warnings = [{ code: 'speech_endpoint_failing', message: 'The speech endpoint fails.' }]
    const dependency = { name: 'the follower', look: async () => problem }
    const readiness = new Readiness({ clock, log: pino({ level: 'silent' }) }, [dependency], [{ warnings }])
    await using status = await serveStatus(readiness, { host: '127.0.0.1', port: 0 })
    const ask = async (path: string, method = 'GET') => {
      const answer = await fetch(`http://127.0.0.1:${status.port}${path}`, { method })
      return [answer.status, await answer.json()]
    }
    expect(await ask('/health')).to.deep.equal([200, { status: 'ok' }])
    expect(await ask('/ready')).to.deep.equal([503, { status: 'unready', problems: ['it is behind'] }])
    problem = undefined
    await clock.advance(1000)
    expect(await ask('/ready')).to.deep.equal([200, { status: 'ready', warnings }])
    expect(await ask('/ready', 'POST')).to.deep.equal([405, { error: 'method_not_allowed' }])
    expect(await ask('/v1/me')).to.deep.equal([404, { error: 'not_found' }])
  })

  it('answers one request of a connection, and closes it', async () => {
    let looks = 0
    const look = async () => {
      looks++
      return undefined
    }
    // The clock advances with each check, so that no result is reused.
    const clock = { now: () => looks * 10_000, sleep: () => new Promise<void>(() => {}) }
    const readiness = new Readiness({ clock, log: pino({ level: 'silent' }) }, [{ name: 'the follower', look }])
    await using status = await serveStatus(readiness, { host: '127.0.0.1', port: 0 })
    using peer = await Peer.open(`http://127.0.0.1:${status.port}`)
    peer.write(get('/ready').repeat(50))
    await peer.ended()
    expect(peer.statuses).to.deep.equal([200])
    expect(looks).to.equal(1)
  })
})
