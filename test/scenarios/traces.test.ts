/** What an operator sees of a job: one trace, whatever happens to it, and nothing in it that is the customer's. */
import { expect } from 'chai'
import { spanIdFrom } from '#packages/telemetry/traceparent.ts'
import { type ChatEndpoint, startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { OtlpReceiver, type ReceivedSpan } from '#test/doubles/otlp/receiver.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { speechApiKey } from '#test/doubles/service/service.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

/** Spans of a trace, once its root has come and nothing new comes. */
const traceOf = (receiver: OtlpReceiver, traceId: string, jobId: string): Promise<ReceivedSpan[]> =>
  until('the whole trace has come', () => {
    const spans = receiver.spans.filter((span) => span.traceId === traceId)
    const names = new Set(spans.map(({ name }) => name))
    const isWhole = spans.some(({ spanId }) => spanId === spanIdFrom(jobId)) && names.has('project job')
    return isWhole && spans
  })

/** Every span but the root hangs below it. @param lost ids of spans that a kill took along */
function expectOneTree(spans: readonly ReceivedSpan[], jobId: string, lost: readonly string[] = []): ReceivedSpan {
  const roots = spans.filter(({ parentId }) => parentId === '')
  expect(roots.map(({ name }) => name)).to.deep.equal(['job'])
  const [root] = roots as [ReceivedSpan]
  expect([root.spanId, root.attributes['video.job.id']]).to.deep.equal([spanIdFrom(jobId), jobId])
  const known = new Set([...spans.map(({ spanId }) => spanId), ...lost])
  expect(spans.filter(({ parentId }) => parentId !== '' && !known.has(parentId))).to.deep.equal([])
  expect(new Set(spans.map(({ spanId }) => spanId)).size, 'each span once').to.equal(spans.length)
  return root
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] =>
  spans.filter((span) => span.name === name)

/** Names of the spans below a span. */
const below = (spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined): string[] =>
  spans.filter(({ parentId }) => parentId === parent?.spanId).map(({ name }) => name)

describe('the trace of a job', function () {
  this.timeout(startScript === 'start' ? 120_000 : 300_000)

  let receiver: OtlpReceiver
  let model: ChatEndpoint
  let setting: Setting

  before(async () => {
    receiver = await OtlpReceiver.start()
    model = await startChatEndpoint({ reply: () => '{"topic": "speech"}' })
    setting = await Setting.start({
      media: ['captioned.mp4', 'speech.mp3'],
      env: { ...receiver.env, LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'sk-model-secret', LEASE_SECONDS: '6' },
    })
  })

  after(async () => {
    await setting[Symbol.asyncDispose]()
    await model.close()
    await receiver[Symbol.asyncDispose]()
  })

  const orders = [
    {
      what: 'a native transcript',
      path: '/v1/transcript',
      body: { url: at('/captioned.mp4'), mode: 'native' },
      steps: ['fetch', 'caption'],
    },
    {
      what: 'a generated transcript',
      path: '/v1/transcript',
      body: { url: at('/speech.mp3?x=1'), mode: 'generate' },
      steps: ['fetch', 'speech-to-text'],
    },
    {
      what: 'an automatic transcript',
      path: '/v1/transcript',
      body: { url: at('/speech.mp3?x=2'), mode: 'auto' },
      steps: ['fetch', 'caption', 'speech-to-text'],
    },
    {
      what: 'an extraction',
      path: '/v1/extract',
      body: { url: at('/speech.mp3?x=3'), prompt: 'the secret prompt', schema },
      steps: ['fetch', 'caption', 'speech-to-text', 'extract'],
    },
  ]

  for (const { what, path, body, steps } of orders)
    it(`is one tree, from the POST to the view: ${what}`, async () => {
      const me = await setting.client({ plan: 'pro' })
      const posted = await me.post(path, body)
      expect(posted.status, posted.text).to.equal(202)
      const { jobId = '' } = posted.body
      const traceId = posted.headers.get('x-trace-id') ?? ''
      const polled = await me.ended(jobId, 60, path)
      expect([polled.body.status, polled.headers.get('x-trace-id')]).to.deep.equal(['completed', traceId])

      const spans = await traceOf(receiver, traceId, jobId)
      const root = expectOneTree(spans, jobId)
      expect(root.isError).to.equal(false)
      expect(root.attributes).to.include({ 'video.org.id': me.orgId, 'video.outcome': 'completed' })
      const [post] = named(spans, `POST ${path}`)
      expect(post?.parentId).to.equal(root.spanId)
      expect(below(spans, post)).to.include.members(['append credits', 'append job'])
      expect(below(spans, root)).to.include.members(['append credits', 'project job'])
      for (const step of steps) {
        const [publish] = named(spans, `publish ${step}`)
        const [attempt, ...more] = named(spans, `process ${step}`)
        expect([publish?.parentId, attempt?.parentId, more], step).to.deep.equal([root.spanId, root.spanId, []])
        expect(attempt?.links, step).to.deep.include({ traceId, spanId: publish?.spanId })
        expect(below(spans, attempt), step).to.include('append job')
      }
      expect(named(spans, 'GET').map(({ attributes }) => attributes['server.address'])).to.include('cdn.example.com')
    })

  it('has few spans: at most 20 for a job of three steps, the outside left aside', async () => {
    const me = await setting.client({ plan: 'pro' })
    const posted = await me.transcript({ url: at('/speech.mp3?x=4'), mode: 'auto' })
    const { jobId = '' } = posted.body
    await me.ended(jobId)
    const spans = await traceOf(receiver, posted.headers.get('x-trace-id') ?? '', jobId)
    const ours = spans.filter(({ name }) => /^(job|POST|append|publish|process|project)/.test(name))
    expect(ours.length).to.be.within(12, 20)
  })

  it("continues the caller's trace, and does not let the caller decide whether it is recorded", async () => {
    const me = await setting.client({ plan: 'pro' })
    const traceparent = `00-${caller.traceId}-${caller.spanId}-00`
    const posted = await me.transcript({ url: at('/captioned.mp4'), mode: 'native' }, { traceparent })
    expect(posted.headers.get('x-trace-id')).to.equal(caller.traceId)
    const { jobId = '' } = posted.body
    await me.ended(jobId)
    const spans = await traceOf(receiver, caller.traceId, jobId)
    expectOneTree(spans, jobId)
    expect(named(spans, 'POST /v1/transcript')[0]?.links).to.deep.equal([caller])
  })

  it('says at its root why the job failed', async () => {
    const me = await setting.client({ plan: 'pro' })
    const posted = await me.transcript({ url: at('/nothing.mp4'), mode: 'native' })
    const { jobId = '' } = posted.body
    expect((await me.ended(jobId)).body.status).to.equal('failed')
    const spans = await traceOf(receiver, posted.headers.get('x-trace-id') ?? '', jobId)
    const root = expectOneTree(spans, jobId)
    expect([root.isError, root.attributes['error.type']]).to.deep.equal([true, 'video_unavailable'])
  })

  it('goes on after kill -9 in the middle, and links the next attempt to the one that was killed', async () => {
    const me = await setting.client({ plan: 'pro' })
    if (setting.speech) setting.speech.behaviour = { hang: true }
    const posted = await me.transcript({ url: at('/speech.mp3?x=5'), mode: 'generate' })
    const { jobId = '' } = posted.body
    const events = async () => (await setting.backDoor()).store.read(`job-${jobId}`)
    await until('it is being transcribed', async () =>
      (await events()).some(
        ({ type, data }) => type === 'StepStarted' && 'step' in data && data.step === 'speech-to-text',
      ),
    )
    const killed = (await events()).findLast(({ type }) => type === 'StepStarted')
    // What has been exported stays; the attempt's own span had not ended.
    const traceId = posted.headers.get('x-trace-id') ?? ''
    const isFetch = (span: ReceivedSpan): boolean => span.traceId === traceId && span.name === 'process fetch'
    await until('what came before has been exported', () => receiver.spans.some(isFetch))
    await setting.closeBackDoor()
    await setting.service.cut()
    if (setting.speech) setting.speech.behaviour = {}
    await setting.service.start()
    expect((await me.ended(jobId, 90)).body.status).to.equal('completed')

    const spans = await traceOf(receiver, traceId, jobId)
    const lost = spanIdFrom(killed?.id ?? '')
    expectOneTree(spans, jobId, [lost, spanIdFrom(posted.headers.get('x-request-id') ?? '')])
    const attempts = named(spans, 'process speech-to-text')
    expect(attempts.map(({ spanId }) => spanId)).to.not.include(lost)
    expect(attempts.at(-1)?.links).to.deep.include({ traceId, spanId: lost })
  })

  it('tells nothing that is the customer’s or a secret', async () => {
    const secrets = [
      'captioned.mp4',
      'speech.mp3',
      'nothing.mp4',
      'the secret prompt',
      'sk-model-secret',
      speechApiKey,
      ...setting.clients.map(({ key }) => key),
    ]
    expect(receiver.received.length).to.be.above(10_000)
    expect(secrets.filter((secret) => receiver.received.includes(secret))).to.deep.equal([])
  })
})
