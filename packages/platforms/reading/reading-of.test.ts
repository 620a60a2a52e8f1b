import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { readingOf } from './reading-of.ts'
import { sessionOf } from './route-of.ts'

const failed = (code: string) => ({ type: 'StepFailed', data: { code } }) as StoredEvent
const signal = new AbortController().signal
const onRead = (): void => {}

describe('the session of a job', () => {
  const reading = (...events: StoredEvent[]) =>
    readingOf({ jobId: 'job', job: { orgId: 'org' }, events, deadlineAt: 0, signal, onRead })
  const session = (...events: StoredEvent[]) => sessionOf(reading(...events))

  it('is the same for all steps of a job, and differs from other jobs', () => {
    expect(session()).to.equal(session(failed('upstream_error'), failed('released')))
    expect(session()).to.not.equal(sessionOf({ owner: 'another', refusals: 0 }))
  })
  it('changes after the platform refused it', () => {
    const all = [
      session(),
      session(failed('platform_blocked')),
      session(failed('platform_blocked'), failed('platform_blocked')),
    ]
    expect(new Set(all).size).to.equal(3)
  })
  it('counts earlier failures at its host; a release is no failure', () => {
    const failures = (...events: StoredEvent[]) => reading(...events).failures
    const upstream = failed('upstream_error')
    expect([failures(), failures(failed('released')), failures(upstream), failures(upstream, upstream)]).to.deep.equal([
      0, 0, 1, 2,
    ])
    expect(failures(upstream, { type: 'VideoFetched' } as StoredEvent)).to.equal(0)
  })
  it('is exhausted for the host of a direct file after six starts without a result', () => {
    const started = { type: 'StepStarted', data: { step: 'fetch' } } as StoredEvent
    const exhausted = (...events: StoredEvent[]) => reading(...events).exhausted
    const starts = (count: number) => Array.from({ length: count }, () => [started, failed('released')]).flat()
    expect([exhausted(...starts(5), started), exhausted(...starts(6), started)]).to.deep.equal([undefined, true])
  })
  it('is letters and digits, because it becomes part of a user name', () => {
    expect(session()).to.match(/^[a-z\d]{16}$/)
  })
})
