import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { Breakers } from './breakers.ts'
import { PlatformRefusal } from './platform-refusal.ts'

const REST_MS = 60_000
const refuse = () => Promise.reject(new PlatformRefusal())
const answer = async () => 'read'

describe('Breakers', () => {
  let clock: ManualClock
  let breakers: Breakers
  beforeEach(() => {
    clock = new ManualClock()
    const isEstablished = async (organization: string) => {
      if (organization === 'unread') throw new Error('the event store is away')
      return !organization.startsWith('young')
    }
    breakers = new Breakers({ clock, log: createLog('test', 'silent'), restMs: REST_MS, isEstablished })
  })

  type Try = { of?: string; subject?: string; address?: string; work?: () => Promise<unknown> }
  /** Runs one request. @returns its result, or the code of its failure */
  const ask = ({ of, subject = 'good', address = 'direct', work = answer }: Try) =>
    breakers.run('tiktok', { address, organization: of, subject }, work).catch(({ code }) => code)
  /** Requests for `count` different videos, all refused. */
  const refused = async (of: string | undefined, count: number, prefix = of ?? 'operators') => {
    for (let n = 0; n < count; n++) await ask({ ...(of && { of }), subject: `${prefix} ${n}`, work: refuse })
  }
  const isBlocked = async (of: string) => {
    let asked = false
    await breakers
      .run('tiktok', { address: 'direct', organization: of }, async () => {
        asked = true
      })
      .catch(() => undefined)
    return !asked
  }

  it('open for an organization that was refused five videos in a row, and say how long to wait', async () => {
    await refused('a', 4)
    expect(await isBlocked('a')).to.equal(false)
    await refused('a', 5)
    let asked = 0
    const again = breakers.run('tiktok', { address: 'direct', organization: 'a', subject: 'x' }, async () => ++asked)
    const error = await again.catch((error) => error)
    expect([error.code, error.transient, error.retryAfterSeconds, asked]).to.deep.equal([
      'platform_blocked',
      true,
      60,
      0,
    ])
    expect(await isBlocked('b')).to.equal(false)
    const since = '2026-11-21T12:00:00.000Z'
    expect(breakers.blocked()).to.deep.equal([
      { platform: 'tiktok', exit: 'direct', way: 'yt-dlp', state: 'open', since },
    ])
  })

  it('count a video once, however often it is refused', async () => {
    for (let time = 0; time < 20; time++) await ask({ of: 'a', subject: 'bad', work: refuse })
    for (const of of 'bcdefgh') await ask({ of, subject: 'bad', work: refuse })
    expect([breakers.blocked(), await ask({ of: 'a' })]).to.deep.equal([[], 'read'])
  })

  it('open for all after refusals of three organizations; each counts for at most three videos', async () => {
    await refused('a', 20)
    await refused('b', 20)
    expect(await isBlocked('d')).to.equal(false)
    await refused('c', 1)
    expect([await isBlocked('c'), await isBlocked('d')]).to.deep.equal([true, true])
  })

  it('count a video once if all three organizations request it', async () => {
    for (const of of 'abcd') await refused(of, 4, 'shared')
    expect(await isBlocked('e')).to.equal(false)
    await refused('b', 5, 'shared')
    await refused('c', 5, 'shared')
    expect(await isBlocked('e'), 'the others add one video').to.equal(false)
  })

  it('do not open for others because of young organizations, or organizations of unknown age', async () => {
    for (const of of ['young 1', 'young 2', 'young 3', 'young 4', 'unread']) await refused(of, 9)
    await refused('a', 9)
    await refused('b', 9)
    expect([await isBlocked('young 1'), await isBlocked('unread')]).to.deep.equal([true, true])
    expect([await isBlocked('c'), await isBlocked('young 5')]).to.deep.equal([false, false])
  })

  it('keep refusals and pauses of established organizations when a hundred young ones arrive', async () => {
    await refused('a', 5)
    await refused('b', 1)
    for (let n = 0; n < 101; n++) await refused(`young ${n}`, 1)
    expect(await isBlocked('a'), 'its pause').to.equal(true)
    await refused('c', 1)
    expect(await isBlocked('d'), 'what a, b and c met').to.equal(true)
  })

  it('let recently answered organizations send one request at a time; an answer closes them for all', async () => {
    await ask({ of: 'well' })
    for (const of of 'abc') await refused(of, 3)
    expect(await isBlocked('d')).to.equal(true)
    const slow = Promise.withResolvers<string>()
    const first = ask({ of: 'well', work: () => slow.promise })
    expect([await isBlocked('well'), await isBlocked('d')], 'while it is under way').to.deep.equal([true, true])
    slow.resolve('read')
    expect([await first, await isBlocked('d'), breakers.blocked()]).to.deep.equal(['read', false, []])
  })

  it('also pause such an organization once it is refused, or once its last answer is too old', async () => {
    await ask({ of: 'long ago' })
    await clock.advance(10 * 60_000)
    await ask({ of: 'well' })
    for (const of of 'abc') await refused(of, 3)
    expect(await ask({ of: 'well', work: refuse })).to.equal('platform_blocked')
    expect([await isBlocked('well'), await isBlocked('long ago')]).to.deep.equal([true, true])
  })

  it('do not stay open through made-up refusals: others are served after each round', async () => {
    for (let round = 0; round < 5; round++) {
      expect(await ask({ of: 'well', subject: `wanted ${round}` })).to.equal('read')
      for (const of of 'abc') await refused(of, 9, `${of}, round ${round}`)
      await clock.advance(REST_MS / 2)
    }
  })

  it('open for all after a refusal of an operator’s own check', async () => {
    await refused(undefined, 4)
    expect(await isBlocked('c')).to.equal(false)
    await refused(undefined, 5)
    expect(await isBlocked('c')).to.equal(true)
  })

  it('count from zero after any answer: the platform accepts that address', async () => {
    for (let round = 0; round < 5; round++) {
      await refused('a', 4, `round ${round}`)
      await refused('b', 1, `of b, round ${round}`)
      await ask({ of: 'c' })
    }
    const private_ = () => Promise.reject(new StepError('video_private'))
    await refused('a', 4)
    await ask({ of: 'b', subject: 'private', work: private_ })
    await refused('a', 4)
    expect(await isBlocked('a')).to.equal(false)
  })

  for (const [what, error] of [
    ['about a video', new StepError('video_unavailable')],
    ['that asks for a sign-in', new StepError('platform_blocked', { transient: true })],
    ['of a broken connection', new StepError('upstream_error', { transient: true })],
  ] as const)
    it(`do not count a failure ${what} as a refusal`, async () => {
      for (const of of ['a', 'b'])
        for (let n = 0; n < 9; n++) await ask({ of, subject: `${of} ${n}`, work: () => Promise.reject(error) })
      expect(breakers.blocked()).to.deep.equal([])
    })

  it('do not affect another way to read the same platform from the same exit address', async () => {
    await refused(undefined, 5)
    const asked = { address: 'direct', way: 'innertube', subject: 'good' } as const
    expect(await breakers.run('tiktok', asked, answer)).to.equal('read')
    expect(breakers.blocked().map(({ way }) => way)).to.deep.equal(['yt-dlp'])
  })

  it('do not affect other platforms and other exit addresses', async () => {
    await refused(undefined, 5)
    const asked = { address: 'direct', subject: 'good' }
    expect(await breakers.run('youtube', asked, answer)).to.equal('read')
    expect(await ask({ address: 'proxy.example.com:8000 a' })).to.equal('read')
    expect(breakers.blocked()).to.have.length(1)
  })

  it('are forgotten ten minutes after the last refusal, since a second way may never be used again', async () => {
    await refused('a', 5)
    await clock.advance(9 * 60_000)
    await ask({ of: 'a', work: refuse })
    await clock.advance(9 * 60_000)
    expect(breakers.blocked()).to.have.length(1)
    await clock.advance(60_000)
    expect(breakers.blocked()).to.deep.equal([])
    await refused('a', 4)
    expect(await isBlocked('a')).to.equal(false)
  })

  it('close for all when the first request after the pause is answered', async () => {
    for (const of of 'abd') await refused(of, 5)
    await clock.advance(REST_MS)
    expect(breakers.blocked()).to.have.nested.property('[0].state', 'half-open')
    expect(await ask({ of: 'c' })).to.equal('read')
    expect([breakers.blocked(), await isBlocked('a'), await isBlocked('b')]).to.deep.equal([[], false, false])
  })

  it('do not stay open for all: the pause ends for organizations that did not open them', async () => {
    for (const of of 'abd') await refused(of, 5)
    for (let round = 0; round < 3; round++) {
      await clock.advance(REST_MS)
      for (const of of 'abd') await refused(of, 1)
      expect([await isBlocked('a'), await isBlocked('c')]).to.deep.equal([true, false])
    }
  })

  it('let an organization make one request at a time after the pause', async () => {
    await refused('a', 5)
    await clock.advance(REST_MS)
    const slow = Promise.withResolvers<string>()
    const first = ask({ of: 'a', work: () => slow.promise })
    expect(await isBlocked('a')).to.equal(true)
    slow.resolve('read')
    expect([await first, await isBlocked('a')]).to.deep.equal(['read', false])
  })

  it('are neither opened nor closed by a search; an open breaker refuses searches too', async () => {
    const search = (work: () => Promise<unknown>) =>
      breakers.run('tiktok', { address: 'direct', organization: 'a' }, work).catch(({ code }) => code)
    for (let time = 0; time < 9; time++) await search(refuse)
    expect(await search(answer)).to.equal('read')
    await refused('a', 5)
    expect(await search(answer)).to.equal('platform_blocked')
  })
})
