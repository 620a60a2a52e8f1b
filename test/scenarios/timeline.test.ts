/** A job's timeline: its state, what has happened to it, live, and how its owner cancels it. On the sandbox. */
import { expect } from 'chai'
import type { JobDetails, Timeline } from '#contracts/generated/http.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { Random } from '#test/doubles/random.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { EventSourceReader } from '#test/doubles/service/event-source-reader.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { at } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { mediaSite } from '#test/doubles/world/media.ts'

/**
 * So long in one process that an extension of the lease, after a third, comes clearly later than at once, even on a
 * busy machine.
 */
const LEASE_SECONDS = startScript === 'start' ? 60 : 15
/**
 * The work on a cancelled job ends within this time: at once in one process, otherwise when its lease is next extended.
 * Nothing else would end it before the window of its job does.
 */
const STOPS_WITHIN_MS = 45_000

describe('the timeline of a job', function () {
  this.timeout(startScript === 'start' ? 120_000 : 300_000)
  const setting = openedForAll(async () =>
    SandboxSetting.start({
      also: [await mediaSite('cdn.example.com', ['captioned.mp4', 'speech.mp4'])],
      env: () => ({ LEASE_SECONDS: String(LEASE_SECONDS) }),
    }),
  )
  const me = madeForAll(() => setting.client())

  const detailsOf = (jobId: string) => me.read<JobDetails>(`/v1/jobs/${jobId}`)
  const timelineOf = (jobId: string) => me.read<Timeline>(`/v1/jobs/${jobId}/events`)
  const cancel = async (jobId: string): Promise<JobDetails> => {
    const { status, text } = await me.delete(`/v1/jobs/${jobId}`)
    expect(status, text).to.equal(200)
    return JSON.parse(text) as JobDetails
  }
  const follow = (jobId: string): Promise<EventSourceReader> =>
    EventSourceReader.open(`${setting.service.base}/v1/jobs/${jobId}/events`, {
      'x-api-key': me.key,
      accept: 'text/event-stream',
    })

  it('is reported live, up to its end, when its result is there; and the same afterwards', async () => {
    const jobId = await me.enqueue({ url: at('/captioned.mp4'), mode: 'native' })
    const live = await follow(jobId)
    await until('the job is reported as completed', () => live.events.some(({ event }) => event === 'completed'))
    expect((await me.get(`/v1/transcript/${jobId}`)).body.status).to.equal('completed')
    await until('the stream is over', () => live.isOver)
    const { events, ended } = await timelineOf(jobId)
    expect(ended).to.equal(true)
    expect(live.events.map(({ data }) => data)).to.deep.equal([...events, {}])
    expect(events.map(({ type }) => type)).to.deep.equal([
      'accepted',
      'step_started',
      'video_found',
      'step_completed',
      'step_started',
      'captions_found',
      'step_completed',
      'completed',
      'credits_settled',
    ])
    const details = await detailsOf(jobId)
    expect(details).to.deep.include({ state: 'completed', credits: { held: 0, charged: 1 } })
    expect(details.traceId).to.match(/^[0-9a-f]{32}$/)
  })

  it('is cancelled while a worker is at work: refunded at once, and the work ends', async () => {
    const { speech } = setting
    speech.behaviour.hang = true
    const before = await me.credits()
    const jobId = await me.enqueue({ url: at('/speech.mp4'), mode: 'generate' })
    const live = await follow(jobId)
    await until('speech is being transcribed', () => speech.underWay > 0)
    const working = await detailsOf(jobId)
    expect(working).to.deep.include({ status: 'queued', state: 'working', step: 'speech-to-text', attempt: 1 })
    expect(working.credits).to.deep.equal({ held: 5, charged: null })
    const askedAt = performance.now()
    const cancelled = await cancel(jobId)
    expect(cancelled).to.deep.include({ status: 'failed', state: 'cancelled', credits: { held: 0, charged: 0 } })
    expect(await me.credits()).to.equal(before)
    await until('the work has ended', () => speech.underWay === 0, { everyMs: 10 })
    expect(performance.now() - askedAt).to.be.below(STOPS_WITHIN_MS)
    speech.behaviour.hang = false
    await until('the stream is over', () => live.isOver)
    expect(live.events.slice(-3).map(({ event }) => event)).to.deep.equal(['cancelled', 'credits_settled', 'end'])
    const { body } = await me.get(`/v1/transcript/${jobId}`)
    expect([body.status, body.error]).to.deep.equal(['failed', cancelled.error])
    expect(await cancel(jobId)).to.deep.equal(cancelled)
  })

  it('says that it waits for a platform that refuses; with failFast it fails at once, refunded', async () => {
    const refusing = { kind: 'answer', status: 429, body: 'Too Many Requests' } as const
    using _outage = setting.sandbox.disturb({ host: 'www.youtube.com', how: refusing })
    const url = youtubeVideos.find(({ trouble }) => trouble === undefined)?.url ?? ''
    const before = await me.credits()
    const patient = await me.enqueue({ url, mode: 'native' })
    const waiting = await until('the job waits for the platform', async () => {
      const details = await detailsOf(patient)
      return details.waitingFor?.reason === 'platform_blocked' && details
    })
    expect(waiting.waitingFor).to.include({ platform: 'youtube' })
    expect(Date.parse(waiting.waitingFor?.until ?? '')).to.be.above(Date.parse(waiting.createdAt))
    const retries = (await timelineOf(patient)).events.filter(({ type }) => type === 'step_retry')
    expect(retries[0]).to.include({ step: 'fetch', attempt: 1, reason: 'platform_blocked' })

    const fast = await me.post('/v1/transcript', { url, mode: 'native', failFast: true })
    const { body } = await me.ended(fast.body.jobId ?? '')
    expect(body.error).to.include({ code: 'platform_blocked' })
    expect((await timelineOf(fast.body.jobId ?? '')).events.map(({ type }) => type)).to.not.include('step_retry')
    expect((await cancel(patient)).state).to.equal('cancelled')
    expect(await me.credits()).to.equal(before)
  })

  it('ends in one way, whatever comes first: its result, or one of several cancellations', async () => {
    const random = new Random('cancellations')
    const runner = await setting.client({ credits: 40 })
    const ends = await Promise.all(
      Array.from({ length: 24 }, async () => {
        const jobId = await runner.enqueue({ url: at('/captioned.mp4'), mode: 'native' })
        const times = Array.from({ length: random.pick([1, 1, 3]) }, () => random.between(0, 900))
        const answers = times.map(async (ms) => {
          await new Promise((resolve) => setTimeout(resolve, ms))
          const { status, text } = await runner.delete(`/v1/jobs/${jobId}`)
          expect(status, text).to.be.oneOf([200, 503])
          return (JSON.parse(text) as Partial<JobDetails>).state
        })
        // If the settlement takes longer than 3 s, the answer does not show the end yet. If the rest of the service is
        // late too, the answer says that the state is unknown.
        const outcomes = new Set(
          (await Promise.all(answers)).filter((state) => state !== undefined && state !== 'settling'),
        )
        const { body } = await runner.ended(jobId)
        outcomes.add(body.status === 'completed' ? 'completed' : 'cancelled')
        return [...outcomes]
      }),
    )
    for (const outcomes of ends) expect(outcomes, `one end in all answers: ${outcomes}`).to.have.length(1)
    const completed = ends.filter(([end]) => end === 'completed').length
    expect(await runner.credits()).to.equal(40 - completed)
  })

  it('adds up', () => assertAddsUp(setting))
})
