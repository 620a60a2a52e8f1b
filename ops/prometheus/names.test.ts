import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { prometheusName } from '#packages/telemetry/prometheus-name.ts'
import { prometheusLabel, seriesNames } from './names.ts'

describe('names in Prometheus', () => {
  for (const [metric, name] of [
    [metrics.jobsAccepted, 'video_jobs_accepted_total'],
    [metrics.speechSeconds, 'video_speech_transcribed_seconds_total'],
    [metrics.deadLetters, 'video_dead_letters_total'],
    [metrics.jobsOpen, 'video_jobs_open'],
    [metrics.queueOldest, 'video_queue_oldest_seconds'],
    [metrics.mediaCacheSize, 'video_media_cache_size_bytes'],
    [metrics.loopUtilization, 'nodejs_eventloop_utilization_ratio'],
    [metrics.buildInfo, 'video_build_info'],
    [metrics.requestDuration, 'http_server_request_duration_seconds'],
  ] as const)
    it(`${metric.name} in ${metric.unit} is ${name}`, () => {
      expect(prometheusName(metric)).to.equal(name)
    })

  it('a histogram has three, with a common base', () => {
    expect(seriesNames(metrics.stepDuration)).to.deep.equal([
      'video_step_duration_seconds_bucket',
      'video_step_duration_seconds_count',
      'video_step_duration_seconds_sum',
    ])
  })

  it('no two metrics have the same', () => {
    const all = Object.values(metrics).flatMap(seriesNames)
    expect(new Set(all).size).to.equal(all.length)
  })

  it('an attribute has underscores in place of dots', () => {
    expect(prometheusLabel('http.response.status_code')).to.equal('http_response_status_code')
  })

  it('an unknown unit is refused', () => {
    expect(() => prometheusName({ ...metrics.queueOldest, unit: 'ms' })).to.throw('unit ms')
  })
})
