import { expect } from 'chai'
import { Results } from '#packages/content/results/results.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { EndedJobs } from './ended-jobs.ts'
import { ErrorObjects } from './error-objects.ts'
import { jobAnswerOf } from './job-answer.ts'

const never = new AbortController().signal

const endedJobs = (clock: Clock, endedJobsCharacters = 1000, results: Pick<Results, 'transcriptIn'> = new Results()) =>
  new EndedJobs({ clock, results }, { endedJobsCharacters, endedJobsValidMs: 60_000 })

/** Results whose files are a running number and the first character of the JSON that they were made from. */
function countingResults() {
  let written = 0
  const transcriptIn: Results['transcriptIn'] = async (_form, { json }) => `${++written} ${(await json())?.slice(0, 1)}`
  return { transcriptIn }
}

describe('cached answers of ended jobs', () => {
  const question = { jobId: 'one', orgId: 'acme', kind: 'transcript' } as const
  const answer = jobAnswerOf(
    'one',
    { traceId: '1'.repeat(32), status: 'completed', result: '{"text":"Welcome.","segments":[]}', charged: 1 },
    new ErrorObjects(),
  )

  it('are found only for their own organization and route', () => {
    const ended = endedJobs(new ManualClock())
    ended.remember(question, answer)
    expect(ended.answer(question)).to.equal(answer)
    expect(ended.answer({ ...question, orgId: 'other' })).to.equal(undefined)
    expect(ended.answer({ ...question, kind: 'extraction' })).to.equal(undefined)
    expect(ended.answer({ ...question, jobId: 'two' })).to.equal(undefined)
  })

  it('are read again after a minute, so that a removed job is not shown for longer', async () => {
    const clock = new ManualClock()
    const ended = endedJobs(clock)
    ended.remember(question, answer)
    await clock.advance(59_999)
    expect(ended.answer(question)).to.equal(answer)
    await clock.advance(1)
    expect(ended.answer(question)).to.equal(undefined)
  })

  it('of a deleted job are not cached by a poll that read the job before', () => {
    const ended = endedJobs(new ManualClock())
    ended.forget(question.jobId)
    ended.remember(question, answer)
    expect(ended.answer(question)).to.equal(undefined)
  })

  it('are converted to another form once, and again only after they were read again', async () => {
    const clock = new ManualClock()
    const ended = endedJobs(clock, 1000, countingResults())
    const words = async () => undefined
    ended.remember(question, answer)
    const inForm = () =>
      ended.inForm(question, 'txt', { json: async () => ended.answer(question) ?? { ...answer }, words }, never)
    for (let n = 0; n < 3; n++) expect(await inForm()).to.include({ text: '1 {' })
    ended.remember(question, { ...answer })
    expect(await inForm()).to.include({ text: '2 {' })
  })

  it('are made into cues from the words, which are read once, or not at all if the result has them', async () => {
    const ended = endedJobs(new ManualClock(), 10_000)
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
    for (const from of [hidden, hidden, spoken({ words })]) {
      ended.remember(question, from)
      const reads = { json: async () => from, words: readWords }
      expect(await ended.inForm(question, 'vtt', reads, never)).to.include({ text: `WEBVTT\n\n${cues}` })
      await ended.inForm(question, 'txt', reads, never)
    }
    expect(reads).to.equal(1)
  })

  it('are not cached in another form if the job is deleted meanwhile', async () => {
    const ended = endedJobs(new ManualClock(), 1000, countingResults())
    ended.remember(question, answer)
    const reads = { json: async () => answer, words: async () => undefined }
    const first = ended.inForm(question, 'vtt', reads, never)
    ended.forget(question.jobId)
    await first
    expect(await ended.inForm(question, 'vtt', reads, never)).to.include({ text: '2 {' })
  })

  it('have a memory limit: the least recently used is dropped first', () => {
    const { length } = answer.text
    const ended = endedJobs(new ManualClock(), 2 * length)
    for (const jobId of ['one', 'two', 'three']) ended.remember({ ...question, jobId }, answer)
    const kept = ['one', 'two', 'three'].filter((jobId) => ended.answer({ ...question, jobId }) !== undefined)
    expect(kept).to.deep.equal(['two', 'three'])
  })
})
