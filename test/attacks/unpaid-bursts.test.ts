/** Many extractions that are accepted at once, before any of them counts as unpaid, and that are never paid. */
import { expect } from 'chai'
import { results } from '#packages/domain/job/job.fixture.ts'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { captionsOf, writePastJob } from '#test/doubles/service/past-results.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const JOBS = 30
/** Unpaid jobs that an organization may have in a day. */
const LIMIT = 10
/** Extractions at work at once, over all organizations. */
const SLOTS = 8

describe('a burst of unpaid extractions', () => {
  it('that are cancelled while the model works reaches the model no more often than the limit plus those at work at once', async () => {
    const model = await startChatEndpoint()
    await using _model = { [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() }
    const env = { LLM_BASE_URL: model.baseUrl, LLM_MAX_FRAMES: '0', EXTRACT_SLOTS: `${SLOTS}` }
    await using setting = await Setting.start({ speech: null, env: { ...env, RATE_POLLS_PER_MINUTE: '100000' } })
    const me = await setting.client({ plan: 'pro' })
    const accepted = Promise.withResolvers<Map<string, string>>()
    model.behaviour.reply = async ({ texts }) => {
      const jobs = await accepted.promise
      const asked = texts.map(({ text }) => /Question \d+\./.exec(text)?.[0]).find((found) => found)
      await me.delete(`/v1/jobs/${jobs.get(asked as string)}`)
      return 'hang'
    }
    // Accepted jobs that have read their captions; the model is next.
    const jobs = new Map<string, string>()
    const backDoor = await setting.backDoor()
    const waiting = { orgId: me.orgId, kind: 'extraction', results: [results.fetched, captionsOf(500)] } as const
    for (let n = 0; n < JOBS; n++) {
      const prompt = `Question ${n}.`
      jobs.set(prompt, await writePastJob(backDoor, { ...waiting, prompt, ends: false }))
    }
    accepted.resolve(jobs)
    const codes: unknown[] = []
    for (const jobId of jobs.values())
      codes.push(((await me.ended(jobId, '/v1/extract')).body.error as { code: string } | null)?.code)
    const calls = model.requests.length
    expect(calls).to.be.within(LIMIT, LIMIT + SLOTS)
    expect(codes.filter((code) => code === 'cancelled')).to.have.length(calls)
    expect(codes.filter((code) => code === 'upstream_error')).to.have.length(JOBS - calls)
    await until('nothing was charged', async () => (await me.credits()) === 2050)
  })
})
