import { expect } from 'chai'
import { newTraceparent, spanIdOf } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { type ScriptedAnswer, scriptedRoute } from '#test/doubles/scripted-route.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { EgressError } from './egress-error.ts'
import type { EgressRoutes } from './egress-routes.ts'
import { tracedEgressRoutes } from './traced-egress.ts'

const url = 'https://cdn.example.com/private/film.mp4?signature=1'
const request = { signal: new AbortController().signal, maxBytes: 100 }

describe('requests to the outside', () => {
  let telemetry: RecordingTelemetry
  beforeEach(() => {
    telemetry = new RecordingTelemetry()
  })

  const egressOver = (answer: () => ScriptedAnswer, body?: () => AsyncIterable<Uint8Array>) => {
    const route = scriptedRoute(answer)
    const { egress } = route
    const asked: typeof egress.request = async (...given) => {
      const found = await egress.request(...given)
      return body ? { ...found, body: body() } : found
    }
    const routes: EgressRoutes = {
      of: () => ({ ...route, egress: { request: asked } }),
      [Symbol.asyncDispose]: async () => {},
    }
    return tracedEgressRoutes(routes, telemetry).of({ platform: undefined, session: 'a' }).egress
  }

  it('are spans that show only the host, until their answers are read', async () => {
    const around = newTraceparent(true)
    await telemetry.within(around, async () => {
      await using answer = await egressOver(() => ({ body: 'text' })).request(url, request)
      const pieces = await Array.fromAsync(answer.body)
      expect(Buffer.concat(pieces).toString()).to.equal('text')
      expect(telemetry.spans).to.deep.equal([])
    })
    const [span, ...others] = telemetry.spans
    expect(others).to.deep.equal([])
    expect(span).to.include({ name: 'GET', kind: 'client', parentId: spanIdOf(around), error: undefined })
    expect(span?.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'server.address': 'cdn.example.com',
      'video.egress.route': 'direct',
      'http.response.status_code': 200,
      'error.type': undefined,
    })
  })

  it('report an error status', async () => {
    await telemetry.within(newTraceparent(true), async () => {
      await using answer = await egressOver(() => ({ status: 429 })).request(url, { ...request, method: 'HEAD' })
      expect(answer.status).to.equal(429)
    })
    expect(telemetry.named('HEAD')[0]?.attributes).to.include({ 'error.type': '429' })
  })

  it('end with the failure, before the answer or within it', async () => {
    const gone = new EgressError('unreachable', 'cdn.example.com')
    await telemetry.within(newTraceparent(true), async () => {
      const refusing = egressOver(() => {
        throw gone
      })
      expect(await failureOf(refusing.request(url, request))).to.equal(gone)
      const breaking = egressOver(
        () => ({}),
        // biome-ignore lint/correctness/useYield: it breaks before its first piece
        async function* () {
          throw gone
        },
      )
      await using answer = await breaking.request(url, request)
      expect(await failureOf(Array.fromAsync(answer.body))).to.equal(gone)
    })
    expect(telemetry.spans.map(({ error }) => error)).to.deep.equal(['EgressError', 'EgressError'])
  })

  it('are made even if no span is under way', async () => {
    await using answer = await egressOver(() => ({ body: 'text' })).request(url, request)
    expect(answer.status).to.equal(200)
    expect(telemetry.spans).to.deep.equal([])
  })
})
