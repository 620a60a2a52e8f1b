import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { EndedSpan } from '#packages/telemetry/telemetry.ts'
import { isSampled, spanIdFrom, spanIdOf, traceIdOf } from '#packages/telemetry/traceparent.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { until } from '#test/doubles/service/until.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import type { IngressOptions } from '../options.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callerSpan = '00f067aa0ba902b7'
const headers = { traceparent: `00-${trace}-${callerSpan}-00` }
const native = { url: 'https://cdn.example.com/secret-name.mp4?secret=1', mode: 'native' }

describe('the span of a request', () => {
  let telemetry: RecordingTelemetry
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>

  const start = async (options: Partial<IngressOptions> = {}, platforms = sourcesOf()): Promise<void> => {
    await ingress?.[Symbol.asyncDispose]()
    telemetry = new RecordingTelemetry()
    ingress = await startIngress({ clock, telemetry, options, platforms })
    acme = await ingress.org()
  }
  beforeEach(() => start())
  afterEach(() => ingress[Symbol.asyncDispose]())

  const spanOf = (name: string): EndedSpan => {
    const spans = telemetry.named(name)
    expect(spans, name).to.have.length(1)
    return spans[0] as EndedSpan
  }

  it('is named by method and route, never by the path, and has the status', async () => {
    const { headers: answered } = await acme.get('/v1/transcript/some-secret?secret=1')
    const { attributes, error, parentId, kind, startedAt, endedAt } = spanOf('GET /v1/transcript/{jobId}')
    expect(attributes).to.deep.equal({
      [names.httpMethod]: 'GET',
      [names.httpRoute]: '/v1/transcript/{jobId}',
      [names.httpStatus]: 404,
      [names.urlScheme]: 'http',
      [names.urlPath]: '/v1/transcript/{jobId}',
      [names.requestId]: answered.get('x-request-id'),
      [names.orgId]: acme.orgId,
      [names.jobId]: undefined,
    })
    expect([kind, error, parentId]).to.deep.equal(['server', undefined, undefined])
    expect(endedAt).to.be.above(startedAt)
    expect(JSON.stringify(telemetry)).to.not.contain('secret')
  })

  it('is a child of the caller’s, in the caller’s trace, and sampled by our decision', async () => {
    await ingress.call('GET', '/health', { headers })
    const { traceparent, parentId } = spanOf('GET /health')
    expect([traceIdOf(traceparent), parentId, isSampled(traceparent)]).to.deep.equal([trace, callerSpan, true])
  })

  it('has only the method if there is no route, and no unknown method', async () => {
    await acme.get('/nowhere/secret')
    await ingress.call('PROPFIND', '/nowhere', {})
    expect(spanOf('GET').attributes?.[names.urlPath]).to.equal('REDACTED')
    expect([
      spanOf('GET').attributes?.[names.httpRoute],
      spanOf('_OTHER').attributes?.[names.httpMethod],
    ]).to.deep.equal([undefined, '_OTHER'])
  })

  it('has the error code of the service’s own faults, and of nothing else', async () => {
    ingress.problems.push('the test says so')
    await ingress.call('GET', '/ready')
    await acme.get('/v1/metadata?url=https://cdn.example.com/film.mp4')
    await acme.get('/v1/metadata')
    expect(spanOf('GET /ready').error).to.equal('unavailable')
    expect(telemetry.named('GET /v1/metadata').map(({ error }) => error)).to.deep.equal(['internal_error', undefined])
  })

  it('is the parent of the calls of a lookup', async () => {
    let around: string | undefined
    const metadata = async () => {
      around = telemetry.current
      throw new StepError('video_unavailable')
    }
    await start({}, sourcesOf({ metadata }))
    await acme.get('/v1/metadata?url=https://cdn.example.com/film.mp4')
    expect(around).to.equal(spanOf('GET /v1/metadata').traceparent)
  })

  it('of an unsampled request is not exported, but its time is measured', async () => {
    telemetry.isSampled = () => false
    await acme.get('/v1/me')
    expect(telemetry.spans).to.deep.equal([])
    const [measured] = telemetry.valuesOf(metrics.requestDuration)
    expect(measured?.attributes).to.deep.equal({
      [names.httpMethod]: 'GET',
      [names.httpRoute]: '/v1/me',
      [names.httpStatus]: 200,
      [names.urlScheme]: 'http',
    })
    expect(measured?.value).to.be.within(0, 10)
  })

  it('has the path with the ids that are not secret, and the scheme that callers use', async () => {
    await start({ publicUrl: 'https://video.example.com' })
    const jobId = crypto.randomUUID()
    await acme.get(`/v1/transcript/${jobId}?secret=1`)
    const { attributes } = spanOf('GET /v1/transcript/{jobId}')
    expect([attributes?.[names.urlScheme], attributes?.[names.urlPath]]).to.deep.equal([
      'https',
      `/v1/transcript/${jobId}`,
    ])
  })

  describe('with a caller that asked to wait', () => {
    const durations = (route: string) =>
      telemetry
        .valuesOf(metrics.requestDuration)
        .filter(({ attributes }) => attributes[names.httpRoute] === route)
        .map(({ value }) => value)
    const lasted = ({ startedAt, endedAt }: EndedSpan): number => (endedAt - startedAt) / 1000

    it('includes the wait, but its duration metric has only the work', async () => {
      const { jobId } = (await acme.post('/v1/transcript', native)).body
      const waiting = { headers: { prefer: 'wait=1' } }
      await Promise.all([acme.get(`/v1/transcript/${jobId}`, waiting), acme.post('/v1/transcript', native, waiting)])
      for (const [name, route] of [
        ['GET /v1/transcript/{jobId}', '/v1/transcript/{jobId}'],
        ['POST /v1/transcript', '/v1/transcript'],
      ] as const) {
        expect(lasted(telemetry.named(name).at(-1) as EndedSpan), name).to.be.above(0.9)
        expect(durations(route).at(-1), name).to.be.below(0.5)
      }
    })

    it('for a stream of events is answered when the stream begins', async () => {
      const { jobId } = (await acme.post('/v1/transcript', native)).body
      const leave = new AbortController()
      const accept = { accept: 'text/event-stream', 'x-api-key': acme.key }
      const address = `http://127.0.0.1:${ingress.port}/v1/jobs/${jobId}/events`
      const stream = await fetch(address, { headers: accept, signal: leave.signal })
      expect(stream.status).to.equal(200)
      const since = performance.now()
      await until('it is open for a while', () => performance.now() - since > 600)
      leave.abort()
      const route = '/v1/jobs/{jobId}/events'
      await until('it has ended', () => durations(route).length === 1)
      expect(lasted(spanOf(`GET ${route}`))).to.be.above(0.5)
      expect(durations(route)[0]).to.be.below(0.4)
    })
  })

  it('that cancels a job follows the job’s root, and shows its trace', async () => {
    const posted = await acme.post('/v1/transcript', native)
    const { jobId } = posted.body
    const root = `${spanOf('POST /v1/transcript').traceparent.slice(0, 36)}${spanIdFrom(jobId)}-01`
    const cancelled = await acme.remove(`/v1/jobs/${jobId}`)
    const { links, attributes } = spanOf('DELETE /v1/jobs/{jobId}')
    expect([links, attributes?.[names.jobId]]).to.deep.equal([[root], jobId])
    expect(cancelled.headers.get('x-trace-id')).to.equal(posted.headers.get('x-trace-id'))
  })

  describe('that accepts a job', () => {
    it('is a child of the job’s root, and follows the caller’s span', async () => {
      const { body } = await acme.post('/v1/transcript', native, { headers })
      const { traceparent, parentId, links, attributes } = spanOf('POST /v1/transcript')
      expect(parentId).to.equal(spanIdFrom(body.jobId))
      expect(links).to.deep.equal([`00-${trace}-${callerSpan}-01`])
      expect(attributes).to.include({ [names.jobId]: body.jobId, [names.orgId]: acme.orgId })
      const [requested] = await ingress.memory.read(`job-${body.jobId}`)
      expect(requested?.metadata.traceparent).to.equal(traceparent)
    })

    it('has no link if there is no caller’s span', async () => {
      await acme.post('/v1/transcript', native)
      expect(spanOf('POST /v1/transcript').links).to.deep.equal([])
    })

    it('follows the job’s root if it repeats a request of another trace, and shows that trace', async () => {
      const byKey = { 'idempotency-key': 'k' }
      const first = await acme.post('/v1/transcript', native, { headers: byKey })
      const again = await acme.post('/v1/transcript', native, { headers: { ...byKey, ...headers } })
      expect(again.headers.get('x-trace-id')).to.equal(first.headers.get('x-trace-id'))
      const [one, two] = telemetry.named('POST /v1/transcript')
      const { jobId } = first.body
      expect(two?.links).to.deep.equal([`${one?.traceparent.slice(0, 36)}${spanIdFrom(jobId)}-01`])
      expect(two?.parentId).to.equal(callerSpan)
    })

    it('follows an unrecorded root if another process sampled the caller’s trace differently', async () => {
      const asked = { headers: { ...headers, 'idempotency-key': 'k' } }
      telemetry.isSampled = () => false
      const { jobId } = (await acme.post('/v1/transcript', native, asked)).body
      telemetry.isSampled = () => true
      await acme.post('/v1/transcript', native, asked)
      const { parentId, links } = spanOf('POST /v1/transcript')
      expect([parentId, links]).to.deep.equal([callerSpan, [`00-${trace}-${spanIdFrom(jobId)}-00`]])
    })

    it('is part of the job even if its acceptance is unknown, unless another request can begin it', async () => {
      await start({ giveUpAfterMs: 100 })
      ingress.store.fault = (stream, _events, proceed) =>
        stream.startsWith('job-') ? Promise.reject(new Error('gone')) : proceed()
      const { status, body, headers: answered } = await acme.post('/v1/transcript', native)
      const { parentId, error, traceparent } = spanOf('POST /v1/transcript')
      expect([status, error, parentId]).to.deep.equal([503, 'unavailable', spanIdFrom(body.details.jobId)])
      expect(answered.get('x-trace-id')).to.equal(traceIdOf(traceparent))
      const shared = await acme.post('/v1/transcript', native, { headers: { 'idempotency-key': 'k' } })
      const { jobId } = shared.body.details
      const second = telemetry.named('POST /v1/transcript').at(-1)
      expect([second?.parentId, second?.attributes?.[names.jobId]]).to.deep.equal([undefined, jobId])
    })
  })

  it('and the log line of a poll name the job, and X-Trace-Id its trace, for any caller', async () => {
    const posted = await acme.post('/v1/transcript', native)
    const { jobId } = posted.body
    const own = posted.headers.get('x-trace-id')
    expect(own).to.match(/^[0-9a-f]{32}$/)
    const path = `/v1/transcript/${jobId}`
    const poll = (more: Record<string, string> = {}) => acme.get(path, { headers: { ...headers, ...more } })
    const answers = [await until('the view has it', async () => (await poll()).status === 200 && (await poll()))]
    await endJob(ingress, jobId, { code: 'timeout' })
    const ended = await until('it has ended', async () => {
      const answer = await poll()
      return answer.status === 504 && answer
    })
    answers.push(ended, await poll(), await poll({ 'if-none-match': '"failed"' }))
    expect(answers.map((answer) => answer.headers.get('x-trace-id'))).to.deep.equal([own, own, own, own])
    const { traceparent, attributes } = telemetry.named('GET /v1/transcript/{jobId}').at(-1) as EndedSpan
    expect([traceIdOf(traceparent), attributes?.[names.jobId]]).to.deep.equal([trace, jobId])
    const line = ingress.lines.filter(({ route }) => route === '/v1/transcript/{jobId}').at(-1)
    expect(line).to.include({ jobId, traceId: own })
    expect(spanIdOf(traceparent)).to.not.equal(spanIdFrom(jobId))
    expect((await acme.get('/v1/me')).headers.get('x-trace-id')).to.equal(null)
  })
})
