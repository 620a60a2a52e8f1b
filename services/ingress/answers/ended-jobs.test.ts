import { expect } from 'chai'
import { transcriptForms } from '#packages/captions/transcript-forms.ts'
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
    const form = {
      contentType: 'text/plain',
      hasCues: false,
      write: ({ text }: { text: string }) => `${++written} ${text}`,
    }
    const inForm = (from: typeof answer) => ended.inForm(question.jobId, from, form, async () => undefined)
    for (let n = 0; n < 3; n++) expect(await inForm(answer)).to.include({ text: '1 Welcome.' })
    expect(await inForm({ ...answer })).to.include({ text: '2 Welcome.' })
  })

  it('are made into cues by the words, which are read once, and not at all where the result shows them', async () => {
    const ended = new EndedJobs(new ManualClock(), { endedJobsCharacters: 10_000, endedJobsValidMs: 60_000 })
    const said = {
      text: 'Hi. Oh.',
      segments: [{ start: 0, end: 9, text: 'Hi. Oh.' }],
      language: 'en',
      source: 'speech',
    }
    const words = [
      { start: 0, end: 0.5, text: 'Hi.' },
      { start: 8, end: 8.5, text: 'Oh.' },
    ]
    let reads = 0
    const readWords = async () => {
      reads++
      return words
    }
    const spoken = (more: object) => ({
      ...answer,
      text: JSON.stringify({
        jobId: question.jobId,
        status: 'completed',
        resultJson: { ...said, ...more },
        error: null,
      }),
    })
    const hidden = spoken({})
    const cues = '00:00:00.000 --> 00:00:00.500\nHi.\n\n00:00:08.000 --> 00:00:08.500\nOh.\n'
    for (const from of [hidden, hidden, spoken({ words })])
      expect(await ended.inForm(question.jobId, from, transcriptForms.vtt, readWords)).to.include({
        text: `WEBVTT\n\n${cues}`,
      })
    await ended.inForm(question.jobId, hidden, transcriptForms.txt, readWords)
    expect(reads).to.equal(1)
  })

  it('are not kept in another form where the job is deleted meanwhile', async () => {
    const ended = new EndedJobs(new ManualClock(), { endedJobsCharacters: 1000, endedJobsValidMs: 60_000 })
    const { jobId } = question
    let written = 0
    const form = { contentType: 'text/vtt', hasCues: false, write: () => `${++written}` }
    const first = ended.inForm(jobId, answer, form, async () => undefined)
    ended.forget(jobId)
    await first
    await ended.inForm(jobId, answer, form, async () => undefined)
    expect(written).to.equal(2)
  })

  it('have a memory limit: the least recently used goes first', () => {
    const { length } = answer.text
    const ended = new EndedJobs(new ManualClock(), { endedJobsCharacters: 2 * length, endedJobsValidMs: 60_000 })
    for (const jobId of ['one', 'two', 'three']) ended.remember({ ...question, jobId }, answer)
    const kept = ['one', 'two', 'three'].filter((jobId) => ended.answer({ ...question, jobId }) !== undefined)
    expect(kept).to.deep.equal(['two', 'three'])
  })
})
