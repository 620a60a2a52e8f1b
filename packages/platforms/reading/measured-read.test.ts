import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { measuredRead } from './measured-read.ts'

describe('a measured read', () => {
  const outcomes: [outcome: string, read: (abort: AbortController) => Promise<unknown>][] = [
    ['ok', async () => 1],
    ['platform_blocked', () => Promise.reject(new StepError('platform_blocked'))],
    ['timeout', () => Promise.reject(new DOMException('late', 'TimeoutError'))],
    [
      'cancelled',
      (abort) => {
        abort.abort(new Error('nobody wants it'))
        return Promise.reject(abort.signal.reason)
      },
    ],
    ['internal_error', () => Promise.reject(new TypeError('a fault of ours'))],
  ]
  for (const [outcome, read] of outcomes)
    it(`ends as ${outcome}`, async () => {
      const telemetry = new RecordingTelemetry()
      const abort = new AbortController()
      const about = { platform: 'youtube', operation: 'details', via: 'proxy', signal: abort.signal } as const
      await measuredRead(telemetry, about, () => read(abort)).catch(() => {})
      const [{ value = -1, attributes } = {}, ...others] = telemetry.valuesOf(metrics.readDuration)
      expect(others).to.deep.equal([])
      expect(value).to.be.within(0, 10)
      expect(attributes).to.deep.equal({
        'video.platform': 'youtube',
        'video.operation': 'details',
        'video.outcome': outcome,
        'video.egress.route': 'proxy',
      })
    })

  it('throws what the read throws', async () => {
    const failure = new StepError('video_private')
    const about = {
      platform: 'direct',
      operation: 'media',
      via: 'direct',
      signal: new AbortController().signal,
    } as const
    expect(await failureOf(measuredRead(new RecordingTelemetry(), about, () => Promise.reject(failure)))).to.equal(
      failure,
    )
  })
})
