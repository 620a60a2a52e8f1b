import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { EndedJobs } from './ended-jobs.ts'
import { ErrorObjects } from './error-objects.ts'
import { jobAnswerOf } from './job-answer.ts'

describe('answers of ended jobs', () => {
  const question = { jobId: 'one', orgId: 'acme', kind: 'transcript' } as const
  const answer = jobAnswerOf(
    'one',
    { traceId: '1'.repeat(32), status: 'completed', result: '{"text":"Welcome.","segments":[]}', charged: 1 },
    new ErrorObjects(),
  )

  it('are found for their own organization and route only', () => {
    const ended = new EndedJobs(new ManualClock(), { endedJobsCharacters: 1000, endedJobsValidMs: 60_000 })
    ended.remember(question, answer)
    expect(ended.answer(question)).to.equal(answer)
    expect(ended.answer({ ...question, orgId: 'other' })).to.equal(undefined)
    expect(ended.answer({ ...question, kind: 'extraction' })).to.equal(undefined)
    expect(ended.answer({ ...question, jobId: 'two' })).to.equal(undefined)
  })

  it('are read anew after a minute, so that a removed job is not shown for longer', async () => {
    const clock = new ManualClock()
    const ended = new EndedJobs(clock, { endedJobsCharacters: 1000, endedJobsValidMs: 60_000 })
    ended.remember(question, answer)
    await clock.advance(59_999)
    expect(ended.answer(question)).to.equal(answer)
    await clock.advance(1)
    expect(ended.answer(question)).to.equal(undefined)
  })

  it('of a deleted job are not remembered by a poll that has read it before', () => {
    const ended = new EndedJobs(new ManualClock(), { endedJobsCharacters: 1000, endedJobsValidMs: 60_000 })
    ended.forget(question.jobId)
    ended.remember(question, answer)
    expect(ended.answer(question)).to.equal(undefined)
  })

  it('are converted to another form once, and again only after they were read again', async () => {
    const clock = new ManualClock()
    const ended = new EndedJobs(clock, { endedJobsCharacters: 1000, endedJobsValidMs: 60_000 })
    let written = 0
    const form = { contentType: 'text/plain', write: ({ text }: { text: string }) => `${++written} ${text}` }
    ended.remember(question, answer)
    for (let n = 0; n < 3; n++) expect(ended.answer(question, form)).to.include({ text: '1 Welcome.' })
    expect(ended.answer(question)).to.equal(answer)
    await clock.advance(60_000)
    expect(ended.answer(question, form)).to.equal(undefined)
    ended.remember(question, { ...answer })
    expect(ended.answer(question, form)).to.include({ text: '2 Welcome.' })
  })

  it('have a memory limit: the least recently used goes first', () => {
    const { length } = answer.text
    const ended = new EndedJobs(new ManualClock(), { endedJobsCharacters: 2 * length, endedJobsValidMs: 60_000 })
    for (const jobId of ['one', 'two', 'three']) ended.remember({ ...question, jobId }, answer)
    const kept = ['one', 'two', 'three'].filter((jobId) => ended.answer({ ...question, jobId }) !== undefined)
    expect(kept).to.deep.equal(['two', 'three'])
  })
})
