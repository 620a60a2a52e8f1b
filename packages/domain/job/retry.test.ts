import { expect } from 'chai'
import { JobFixture, problem, results } from './job.fixture.ts'
import { MAX_HOST_ATTEMPTS, mayAskDirectHost } from './retry.ts'

const { fetched, captions, noCaptions } = results
const mayAsk = ({ events }: JobFixture): boolean => mayAskDirectHost(events)

describe('requests to the host of a direct file', () => {
  for (const [requests, attempts] of [
    [1, 6],
    [2, 3],
    [3, 2],
    [4, 1],
  ] as const)
    it(`stay within six if every attempt makes ${requests}, including redirects`, () => {
      const fixture = new JobFixture().start()
      const failed = problem('upstream_error', { host: 'direct', requests })
      for (fixture.fail(failed, 0); fixture.last?.type === 'StepFailed'; fixture.fail(failed, 0))
        fixture.wait(fixture.last.data.retryAfterSeconds).start()
      expect(fixture.events.filter(({ type }) => type === 'StepStarted')).to.have.length(attempts)
    })

  it('are not limited at a platform: one attempt may make many', () => {
    const fixture = new JobFixture().start().fail(problem('platform_blocked', { host: 'platform', requests: 40 }))
    expect(fixture.job).to.include({ status: 'open' })
  })

  it('begin six times, even if every start was released or lost', () => {
    const released = new JobFixture()
    for (let start = 1; start <= MAX_HOST_ATTEMPTS; start++) {
      expect(mayAsk(released.start()), `start ${start}`).to.equal(true)
      released.release()
    }
    expect(mayAsk(released.start())).to.equal(false)
    // A host that must not be asked again has no attempt left, whatever failure is reported.
    released.fail(problem('upstream_error', { host: 'direct', requests: 0 }))
    expect(released.job).to.include({ status: 'failed', code: 'upstream_error' })

    const mixed = new JobFixture({ windowSeconds: 1800 }).start(30).wait(30).start(30).wait(30)
    mixed.start().release().start().release().start().fail(problem('upstream_error'), 0).start()
    expect(mayAsk(mixed)).to.equal(true)
    expect(mayAsk(mixed.release().start())).to.equal(false)
  })

  it('begin as often after results, and after our own failures', () => {
    const request = { kind: 'extraction', mode: null, budget: 10, prompt: 'What is it about?' } as const
    const fixture = new JobFixture(request).start().succeed(fetched).start().succeed(noCaptions).start()
    for (let failure = 1; failure <= 2 * MAX_HOST_ATTEMPTS; failure++)
      fixture.fail(problem('internal_error'), 0).start()
    expect(mayAsk(fixture)).to.equal(true)
    expect(mayAsk(new JobFixture(request).start().succeed(fetched).start().succeed(captions).start())).to.equal(true)
  })
})
