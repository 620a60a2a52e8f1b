/** What an operator sees of a job: one trace, whatever happens to it, without any customer data. */
import { expect } from 'chai'
import { CLAIM_LOST } from '#packages/jobs/processing/claim.ts'
import { spanIdFrom } from '#packages/telemetry/traceparent.ts'
import { TestVisitor } from '#services/dashboard/test-visitor.harness.ts'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { OtlpReceiver, type ReceivedSpan } from '#test/doubles/otlp/receiver.ts'
import { SpanTable } from '#test/doubles/otlp/span-table.ts'
import type { Client, Headings } from '#test/doubles/service/client.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { speechApiKey } from '#test/doubles/service/service.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { startSmtpServer } from '#test/doubles/smtp-server.ts'
import { pingInVain } from '#test/doubles/webhooks/ping-in-vain.ts'

const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

const person = {
  email: 'ada@secret.example.com',
  password: 'violet harbour cement nine owls',
  organization: 'A secret company',
}

/** Whether a span may lack its parent because of a kill. */
type MayLackParent = (span: ReceivedSpan) => boolean

/** The state of the spans of a trace. */
type Check = (spans: readonly ReceivedSpan[]) => boolean

const never: MayLackParent = () => false

/** Spans without their parent, although the parent should have been received. */
function strays(spans: readonly ReceivedSpan[], mayLack: MayLackParent): ReceivedSpan[] {
  const known = new Set(spans.map(({ spanId }) => spanId))
  return spans.filter((span) => span.parentId !== '' && !known.has(span.parentId) && !mayLack(span))
}

const ofTrace = (receiver: OtlpReceiver, traceId: string): ReceivedSpan[] =>
  receiver.spans.filter((span) => span.traceId === traceId)

/**
 * Spans of a trace, once its root, every parent and `theRest` were received. Each process sends its own, at intervals.
 */
const traceOf = (
  receiver: OtlpReceiver,
  traceId: string,
  jobId: string,
  { mayLack = never, theRest = () => true }: { mayLack?: MayLackParent; theRest?: Check } = {},
): Promise<ReceivedSpan[]> =>
  until('the whole trace has come', () => {
    const spans = ofTrace(receiver, traceId)
    const isEnded = spans.some(({ spanId }) => spanId === spanIdFrom(jobId)) && named(spans, 'project job').length > 0
    return isEnded && strays(spans, mayLack).length === 0 && theRest(spans) && spans
  }).catch(() => ofTrace(receiver, traceId)) // `expectOneTree` reports what is missing.

/** Every span but the root is below it. */
function expectOneTree(spans: readonly ReceivedSpan[], jobId: string, mayLack: MayLackParent = never): ReceivedSpan {
  const roots = spans.filter(({ parentId }) => parentId === '')
  expect(roots.map(({ name }) => name)).to.deep.equal(['job'])
  const [root] = roots as [ReceivedSpan]
  expect([root.spanId, root.attributes['video.job.id']]).to.deep.equal([spanIdFrom(jobId), jobId])
  expect(strays(spans, mayLack)).to.deep.equal([])
  expect(new Set(spans.map(({ spanId }) => spanId)).size, 'each span once').to.equal(spans.length)
  return root
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] =>
  spans.filter((span) => span.name === name)

/** Attempts at a step, without those of workers that were not the first to claim it. */
const attemptsOf = (spans: readonly ReceivedSpan[], step: string): ReceivedSpan[] =>
  named(spans, `process ${step}`).filter(({ attributes }) => attributes['video.outcome'] !== CLAIM_LOST)

/** Names of the spans below a span. */
const below = (spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined): string[] =>
  spans.filter(({ parentId }) => parentId === parent?.spanId).map(({ name }) => name)

describe('the trace of a job', function () {
  this.timeout(startScript === 'start' ? 120_000 : 300_000)

  const receiver = openedForAll(() => OtlpReceiver.start())
  const model = openedForAll(() => startChatEndpoint({ reply: () => '{"topic": "speech"}' }))
  const mails = openedForAll(() => startSmtpServer())
  const setting = openedForAll(() =>
    Setting.start({
      apart: true,
      media: ['captioned.mp4', 'speech.mp3'],
      env: {
        ...receiver.env,
        LLM_BASE_URL: model.baseUrl,
        LLM_API_KEY: 'sk-model-secret',
        LEASE_SECONDS: '6',
        SMTP_URL: mails.url,
        MAIL_FROM: 'us@example.com',
      },
    }),
  )

  const orders: [what: string, body: { url: string; mode?: string; prompt?: string; schema?: object }, ...string[]][] =
    [
      ['a native transcript', { url: at('/captioned.mp4'), mode: 'native' }, 'fetch', 'caption'],
      ['a generated transcript', { url: at('/speech.mp3?x=1'), mode: 'generate' }, 'fetch', 'speech-to-text'],
      ['an automatic transcript', { url: at('/speech.mp3?x=2'), mode: 'auto' }, 'fetch', 'caption', 'speech-to-text'],
      [
        'an extraction',
        { url: at('/speech.mp3?x=3'), prompt: 'the secret prompt', schema },
        ...['fetch', 'caption', 'speech-to-text', 'extract'],
      ],
    ]

  /** A job that must be accepted, and its trace. */
  async function accepted(
    me: Client,
    body: object,
    headers: Headings = {},
  ): Promise<{ jobId: string; traceId: string }> {
    const posted = await me.post('prompt' in body ? '/v1/extract' : '/v1/transcript', body, headers)
    expect(posted.status, posted.text).to.equal(202)
    return { jobId: posted.body.jobId ?? '', traceId: posted.headers.get('x-trace-id') ?? '' }
  }

  for (const [what, body, ...steps] of orders)
    it(`is one tree, from the POST to the view: ${what}`, async () => {
      const me = await setting.client({ plan: 'pro' })
      const path = 'prompt' in body ? '/v1/extract' : '/v1/transcript'
      const { jobId, traceId } = await accepted(me, body)
      const polled = await me.ended(jobId, path)
      expect([polled.body.status, polled.headers.get('x-trace-id')]).to.deep.equal(['completed', traceId])

      // The debit and its settlement are both appends to the credits.
      const theRest: Check = (spans) =>
        named(spans, 'append credits').length > 1 && steps.every((step) => attemptsOf(spans, step).length > 0)
      const spans = await traceOf(receiver, traceId, jobId, { theRest })
      const root = expectOneTree(spans, jobId)
      expect(root.isError).to.equal(false)
      expect(root.attributes).to.include({ 'video.org.id': me.orgId, 'video.outcome': 'completed' })
      const [post] = named(spans, `POST ${path}`)
      expect(post?.parentId).to.equal(root.spanId)
      expect(below(spans, post)).to.include.members(['append credits', 'append job'])
      expect(below(spans, root)).to.include.members(['append credits', 'project job'])
      for (const [index, step] of steps.entries()) {
        const published = named(spans, `publish ${step}`)
        // If the job stayed in the process, nothing was published.
        const before = attemptsOf(spans, steps[index - 1] ?? 'nothing')
        const [attempt, ...more] = attemptsOf(spans, step)
        expect([attempt?.parentId, more], step).to.deep.equal([root.spanId, []])
        for (const { parentId } of published) expect(parentId, step).to.equal(root.spanId)
        const [followed] = attempt?.links ?? []
        expect(
          [...published, ...before].map(({ spanId }) => ({ traceId, spanId })),
          step,
        ).to.deep.include(followed)
        expect(below(spans, attempt), step).to.include('append job')
      }
      expect(named(spans, 'GET').map(({ attributes }) => attributes['server.address'])).to.include('cdn.example.com')
    })

  it('has few spans: at most 20 for a job of three steps, without those outside', async () => {
    const me = await setting.client({ plan: 'pro' })
    const { jobId, traceId } = await accepted(me, { url: at('/speech.mp3?x=4'), mode: 'auto' })
    await me.ended(jobId)
    const oursAmong = (spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] =>
      spans.filter(({ name }) => /^(job|POST|append|publish|process|project)/.test(name))
    const theRest: Check = (spans) => oursAmong(spans).length >= 12
    const ours = oursAmong(await traceOf(receiver, traceId, jobId, { theRest }))
    // On a busy machine a step takes longer, and then appends extensions of its lease.
    const history = await setting.history(jobId)
    const extended = history.filter(({ type }) => type === 'LeaseExtended')
    expect(ours.length - extended.length).to.be.within(12, 20)
  })

  it("continues the caller's trace, and does not let the caller decide whether it is recorded", async () => {
    const me = await setting.client({ plan: 'pro' })
    const traceparent = `00-${caller.traceId}-${caller.spanId}-00`
    const { jobId, traceId } = await accepted(me, { url: at('/captioned.mp4'), mode: 'native' }, { traceparent })
    expect(traceId).to.equal(caller.traceId)
    await me.ended(jobId)
    const spans = await traceOf(receiver, caller.traceId, jobId)
    expectOneTree(spans, jobId)
    expect(named(spans, 'POST /v1/transcript')[0]?.links).to.deep.equal([caller])
  })

  it('gives at its root the reason why the job failed', async () => {
    const me = await setting.client({ plan: 'pro' })
    const { jobId, traceId } = await accepted(me, { url: at('/nothing.mp4'), mode: 'native' })
    expect((await me.ended(jobId)).body.status).to.equal('failed')
    const spans = await traceOf(receiver, traceId, jobId)
    const root = expectOneTree(spans, jobId)
    expect([root.isError, root.attributes['error.type']]).to.deep.equal([true, 'video_unavailable'])
  })

  it('continues after kill -9 in the middle, and links the next attempt to the killed one', async () => {
    const me = await setting.client({ plan: 'pro' })
    if (setting.speech) setting.speech.behaviour = { hang: true }
    const { jobId, traceId } = await accepted(me, { url: at('/speech.mp3?x=5'), mode: 'generate' })
    const isTranscribed = async () => (await setting.startsOf(jobId)).includes('speech-to-text')
    await until('it is being transcribed', isTranscribed)
    const killed = (await setting.history(jobId)).findLast(({ type }) => type === 'StepStarted')
    const lost = spanIdFrom(killed?.id ?? '')
    // Ended spans are exported and stay. The root comes at the end, and the attempt under way never.
    const isUnderWay: MayLackParent = ({ parentId }) => parentId === lost || parentId === spanIdFrom(jobId)
    await until('what came before has been exported', () => {
      const spans = ofTrace(receiver, traceId)
      const isClaimed = spans.some(({ parentId }) => parentId === lost)
      return isClaimed && attemptsOf(spans, 'fetch').length === 1 && strays(spans, isUnderWay).length === 0
    })
    const quietAt = Date.now()
    await setting.closeBackDoor()
    await setting.service.cut()
    const cutAt = Date.now()
    if (setting.speech) setting.speech.behaviour = {}
    await setting.service.start()
    expect((await me.ended(jobId)).body.status).to.equal('completed')

    const mayLack: MayLackParent = ({ parentId, startedAt, endedAt }) =>
      parentId === lost || (endedAt >= quietAt && startedAt <= cutAt)
    const theRest: Check = (spans) => attemptsOf(spans, 'speech-to-text').length > 0
    const spans = await traceOf(receiver, traceId, jobId, { mayLack, theRest })
    expectOneTree(spans, jobId, mayLack)
    const attempts = attemptsOf(spans, 'speech-to-text')
    expect(attempts.map(({ spanId }) => spanId)).to.not.include(lost)
    expect(attempts.at(-1)?.links).to.deep.include({ traceId, spanId: lost })
  })

  it('also begins on a page of the dashboard, and nothing below it is missing', async () => {
    const visitor = new TestVisitor(setting.service.base, '/dashboard')
    const signedUp = await visitor.post('/sign-up', person)
    expect(signedUp.text).to.include('Check your mail')
    const mail = await until('a mail has come', () => mails.received[0])
    const [, token = ''] = /token=([\w-]+)/.exec(mail.data.replaceAll(/=\n/g, '').replaceAll('=3D', '=')) ?? []
    expect((await visitor.post('/verify', { token })).status).to.equal(200)
    await visitor.post('/sign-in', person)
    const { to = '' } = await visitor.get('/')
    const asked = await visitor.send(`${to}/try/transcript`, { url: at('/captioned.mp4?page'), mode: 'native' })
    const shown = await visitor.get(asked.to ?? '')
    const jobId = /\/jobs\/([0-9a-f-]{36})/.exec(shown.html)?.[1] ?? ''
    const traceId = asked.headers.get('x-trace-id') ?? ''
    const spans = await traceOf(receiver, traceId, jobId)
    const root = expectOneTree(spans, jobId)
    expect(below(spans, root)).to.include('POST /dashboard/org/:orgId/try/:operation')
  })

  it('exists without a job: a tool call has one too, with all that it calls', async () => {
    const me = await setting.client()
    const [traceId, spanId] = ['a1'.repeat(16), 'b2'.repeat(8)]
    const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    const params = { name: 'get_video_metadata', arguments: { url } }
    const headers = { accept: 'application/json, text/event-stream', traceparent: `00-${traceId}-${spanId}-00` }
    const called = await me.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
    expect(called.status, called.text).to.equal(200)
    const spans = await until('the call has come', () => {
      const come = ofTrace(receiver, traceId)
      return named(come, 'POST /mcp').length > 0 && come
    })
    let parentId = spanId
    for (const name of ['POST /mcp', 'tools/call get_video_metadata', 'GET /v1/metadata', 'yt-dlp info']) {
      const [span] = named(spans, name)
      expect(span?.parentId, name).to.equal(parentId)
      parentId = span?.spanId ?? ''
    }
  })

  it('has, like all traces, only documented spans: none is missing, none is unknown', async () => {
    const me = await setting.client()
    expect((await me.post('/v1/keys', { name: 'another' })).status).to.equal(201)
    await pingInVain(me)
    const source = { type: 'channel', handle: 'somebody' }
    expect((await me.post('/v1/watches', { source, every: '1d' })).status).to.equal(201)
    const table = new SpanTable()
    // The comparison reports what is missing.
    await until('every span has come', () => table.missing(receiver.spans).length === 0).catch(() => {})
    expect(table.missing(receiver.spans)).to.deep.equal([])
    expect(table.wrong(receiver.spans)).to.deep.equal([])
  })

  it('is not all: /ready warns of a mail server and of receivers of webhooks that do not answer, and names none', async () => {
    const me = await setting.client()
    const url = await pingInVain(me, 5)
    mails.answers.refusal = '550 5.7.1 no relaying'
    await new TestVisitor(setting.service.base, '/dashboard').post('/forgot', { email: person.email })
    // If the ingress is a process of its own, another process delivers webhooks. The warning is in that one's /ready.
    const warned = ['mail_server_failing', ...(startScript === 'start' ? ['webhooks_unanswered'] : [])]
    const warnings = await until('/ready warns', async () => {
      const { status, text } = await me.get('/ready')
      expect(status).to.equal(200)
      const found = (JSON.parse(text) as { warnings: { code: string; message: string }[] }).warnings
      return warned.every((code) => found.some((warning) => warning.code === code)) && found
    })
    expect(JSON.stringify(warnings)).to.not.include(new URL(url).hostname).and.not.include('127.0.0.1')
  })

  it('contains no customer data and no secret', async () => {
    const secrets = [
      'captioned.mp4',
      'speech.mp3',
      'nothing.mp4',
      'dQw4w9WgXcQ',
      'the secret prompt',
      'sk-model-secret',
      speechApiKey,
      person.email,
      person.password,
      person.organization,
      ...setting.clients.map(({ key }) => key),
    ]
    expect(receiver.received.length).to.be.above(10_000)
    expect(secrets.filter((secret) => receiver.received.includes(secret))).to.deep.equal([])
  })
})
