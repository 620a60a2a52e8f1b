import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { EndedSpan } from '#packages/telemetry/telemetry.ts'
import { isSampled, spanIdFrom, spanIdOf, traceIdOf } from '#packages/telemetry/traceparent.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { startMcpHarness, ways } from '#test/doubles/mcp/mcp.harness.ts'
import { until } from '#test/doubles/service/until.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'

const url = 'https://cdn.example.com/secret-film.mp4'
const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${trace}-00f067aa0ba902b7-01`

for (const way of ways.filter(({ transport }) => transport === 'http')) {
  describe(`a tool call over HTTP, protocol ${way.mode === 'auto' ? 'of 2026' : 'of 2025'}`, function () {
    this.timeout(60_000)

    it('is a span of its request, and so are all its requests to /v1', async () => {
      const telemetry = new RecordingTelemetry()
      await using stage = await startMcpHarness({ telemetry })
      const host = await stage.connect(way, { 'x-api-key': stage.acme.key, traceparent })
      const calling = host.callTool({ name: 'get_video_transcript', arguments: { url, mode: 'native' } })
      const { jobId } = await stage.nextJob()
      await endJob(stage.ingress, jobId, { segments: [{ start: 0, end: 2, text: 'Welcome.' }] })
      await calling
      const [call] = await until('it has ended', () => {
        const ended = telemetry.named('tools/call get_video_transcript')
        return ended.length > 0 && ended
      })
      expect(call?.attributes).to.deep.equal({ [names.tool]: 'get_video_transcript' })
      const own = call as EndedSpan
      const request = await until('its request has ended', () =>
        telemetry.named('POST /mcp').find((span) => spanIdOf(span.traceparent) === own.parentId),
      )
      expect(traceIdOf(request.traceparent)).to.equal(trace)
      const [posted] = telemetry.named('POST /v1/transcript')
      expect([posted?.parentId, posted?.links]).to.deep.equal([spanIdFrom(jobId), [own.traceparent]])
      const polls = telemetry.named('GET /v1/transcript/{jobId}')
      expect(polls).to.not.deep.equal([])
      for (const poll of polls) expect(poll.parentId).to.equal(spanIdOf(own.traceparent))
      for (const span of [own, posted as EndedSpan, ...polls]) expect(traceIdOf(span.traceparent)).to.equal(trace)
      expect(JSON.stringify(telemetry)).to.not.contain('secret-film')
    })

    it('that waits for its job does not count the wait into the duration of its request', async () => {
      const telemetry = new RecordingTelemetry()
      await using stage = await startMcpHarness({ telemetry })
      const host = await stage.connect(way)
      const calling = host.callTool({ name: 'get_video_transcript', arguments: { url, mode: 'native' } })
      const { jobId } = await stage.nextJob()
      const since = performance.now()
      await until('it has waited for a while', () => performance.now() - since > 1000)
      await endJob(stage.ingress, jobId, { segments: [{ start: 0, end: 2, text: 'Welcome.' }] })
      await calling
      const lasted = ({ startedAt, endedAt }: EndedSpan): number => endedAt - startedAt
      await until('its request has ended', () => telemetry.named('POST /mcp').some((span) => lasted(span) > 1000))
      const durations = telemetry
        .valuesOf(metrics.requestDuration)
        .filter(({ attributes }) => attributes[names.httpRoute] === '/mcp')
      expect(Math.max(...durations.map(({ value }) => value))).to.be.below(0.8)
    })

    it('in an unrecorded trace leaves no spans, and neither does its job', async () => {
      const telemetry = new RecordingTelemetry()
      telemetry.isSampled = (traceId) => traceId !== trace
      await using stage = await startMcpHarness({ telemetry })
      const host = await stage.connect(way, { 'x-api-key': stage.acme.key, traceparent })
      const calling = host.callTool({ name: 'get_video_transcript', arguments: { url, mode: 'native' } })
      const { jobId } = await stage.nextJob()
      await endJob(stage.ingress, jobId, { segments: [{ start: 0, end: 2, text: 'Welcome.' }] })
      await calling
      const [requested] = await stage.ingress.memory.read(`job-${jobId}`)
      const told = requested?.metadata.traceparent ?? ''
      expect([traceIdOf(told), isSampled(told)]).to.deep.equal([trace, false])
      expect(telemetry.spans.filter((span) => traceIdOf(span.traceparent) === trace)).to.deep.equal([])
    })

    it('that fails has the code on its span', async () => {
      const telemetry = new RecordingTelemetry()
      await using stage = await startMcpHarness({ telemetry })
      const host = await stage.connect(way)
      const answer = await host.callTool({ name: 'get_video_metadata', arguments: { url: 'nonsense' } })
      expect(answer.isError).to.equal(true)
      expect(telemetry.named('tools/call get_video_metadata').map(({ error }) => error)).to.deep.equal([
        'invalid_request',
      ])
    })
  })
}

for (const way of ways.filter(({ transport }) => transport === 'stdio')) {
  describe(`a tool call over stdio, protocol ${way.mode === 'auto' ? 'of 2026' : 'of 2025'}`, function () {
    this.timeout(60_000)

    it('is continued by the service if its host names a span, and only then', async () => {
      const telemetry = new RecordingTelemetry()
      await using stage = await startMcpHarness({ telemetry })
      const host = await stage.connect(way)
      for (const _meta of [{ traceparent }, {}, { traceparent: 'nonsense' }])
        await host.callTool({ name: 'get_video_metadata', arguments: { url }, _meta })
      const places = telemetry.named('GET /v1/metadata').map(({ parentId }) => parentId)
      expect(places).to.deep.equal([spanIdOf(traceparent), undefined, undefined])
      expect(telemetry.spans.filter(({ name }) => name.startsWith('tools/call'))).to.deep.equal([])
    })
  })
}
