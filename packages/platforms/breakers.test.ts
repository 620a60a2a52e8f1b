import { expect } from 'chai'
import type { Exit } from '#packages/egress/exits.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { Breakers } from './breakers.ts'

const exit = (address: string) => ({ address }) as Exit
const direct = exit('direct')
const refuse = () => Promise.reject(new StepError('platform_blocked', { transient: true }))
const answer = async () => 'read'

describe('Breakers', () => {
  const create = (restMs: number) =>
    new Breakers({ clock: new ManualClock(), log: createLog('test', 'silent'), refusals: 3, restMs })
  const refuseThrice = async (breakers: Breakers) => {
    for (let time = 0; time < 3; time++) await breakers.run('tiktok', direct, refuse).catch(() => undefined)
  }

  it('asks nothing of a platform that refused three times, and says what to wait', async () => {
    const breakers = create(60_000)
    await refuseThrice(breakers)
    let asked = 0
    const error = await breakers.run('tiktok', direct, async () => ++asked).catch((error) => error)
    expect([error.code, error.transient, error.retryAfterSeconds, asked]).eql(['platform_blocked', true, 60, 0])
    const [blocked] = breakers.blocked()
    expect(blocked).eql({ platform: 'tiktok', exit: 'direct', state: 'open', since: '2026-11-21T12:00:00.000Z' })
  })

  it('leaves a platform alone for those whose URLs it refuses, and for all once these are two', async () => {
    const breakers = create(60_000)
    const of = (organization: string) => ({ address: 'direct', organization })
    const refuseThriceOf = async (organization: string) => {
      for (let time = 0; time < 3; time++) await breakers.run('tiktok', of(organization), refuse).catch(() => undefined)
    }
    const ask = (organization: string) => breakers.run('tiktok', of(organization), answer).catch(({ code }) => code)
    await refuseThriceOf('a')
    expect([await ask('a'), await ask('b'), await ask('c')]).eql(['platform_blocked', 'read', 'read'])
    await refuseThriceOf('b')
    expect(await ask('c')).equal('platform_blocked')
    expect(breakers.blocked()).length(1)
  })

  it('leaves other platforms and other exit addresses alone', async () => {
    const breakers = create(60_000)
    await refuseThrice(breakers)
    expect(await breakers.run('youtube', direct, answer)).equal('read')
    expect(await breakers.run('tiktok', exit('proxy.example.com:8000 a'), answer)).equal('read')
    expect(breakers.blocked()).length(1)
  })

  it('closes again when the platform answers', async () => {
    const breakers = create(1)
    await refuseThrice(breakers)
    for (;;) if ((await breakers.run('tiktok', direct, answer).catch(() => 'refused')) === 'read') break
    expect(breakers.blocked()).eql([])
  })

  it('does not take what is about a video for a refusal', async () => {
    const breakers = create(60_000)
    const gone = () => Promise.reject(new StepError('video_unavailable'))
    for (let time = 0; time < 9; time++) await breakers.run('tiktok', direct, gone).catch(() => undefined)
    expect(breakers.blocked()).eql([])
  })
})
