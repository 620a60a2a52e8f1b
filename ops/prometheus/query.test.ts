import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { complaintsAbout, exported, partsOf } from './complaints.fixture.ts'
import { orZero, Queries } from './query.ts'

const of = new Queries({ jobs: 'video/.+', window: '5m' })

describe('queries', () => {
  it('select the chosen services and the wanted values, and group by the given labels', () => {
    const where = { [names.kind]: 'transcript', [names.outcome]: ['timeout', 'upstream_error'] }
    expect(of.rate(metrics.jobsFinished, { by: [names.platform], where })).to.equal(
      'sum by (video_platform) (rate(video_jobs_finished_total{job=~"video/.+", video_job_kind="transcript", video_outcome=~"timeout|upstream_error"}[5m]))',
    )
    expect(of.max(metrics.jobsOverdue)).to.equal('max(video_jobs_overdue{job=~"video/.+"})')
    expect(of.quantile(0.99, metrics.stepDuration, { by: [names.step] })).to.equal(
      'histogram_quantile(0.99, sum by (le, video_step) (rate(video_step_duration_seconds_bucket{job=~"video/.+"}[5m])))',
    )
    expect(orZero(of.rate(metrics.speechSeconds))).to.match(/\) or on\(\) vector\(0\)$/)
  })

  it('cannot use an attribute that the metric does not have', () => {
    expect(() => of.rate(metrics.jobsFinished, { by: [names.step] })).to.throw('has no attribute video.step')
    expect(() => of.max(metrics.jobsOpen, { where: { [names.kind]: 'transcript' } })).to.throw('has no attribute')
  })
})

describe('the problems of a query', () => {
  const complaints = (expr: string) => complaintsAbout(expr, exported)

  it('include unknown names and labels, wherever they are', () => {
    expect(complaints('rate(video_jobs_ended_total[5m])')).to.deep.equal(['video_jobs_ended_total is no series'])
    expect(complaints('sum(video_jobs_open{video_step="fetch"})')).to.deep.equal([
      'video_jobs_open has no label video_step',
    ])
    expect(complaints('sum by (video_step) (video_jobs_open) > 1e3')).to.deep.equal([
      'nothing has the label video_step',
    ])
    expect(complaints('rate(video_step_duration_bucket[5m])')).to.deep.equal([
      'video_step_duration_bucket is no series',
    ])
    expect(complaints('vector(1)')).to.deep.equal(['reads no series'])
  })

  it('are empty if all are known', () => {
    expect(complaints(of.quantile(0.5, metrics.readDuration, { by: [names.operation] }))).to.deep.equal([])
    expect(
      complaints('min by (job) (video_build_info{video_version=~"1.*"} offset 5m) unless on (job) ALERTS'),
    ).to.deep.equal([])
    expect(partsOf('video:x:ratio_1h > 0.01 and on (a) y{b!~"c"}')).to.deep.equal({
      series: [
        { name: 'video:x:ratio_1h', labels: [] },
        { name: 'y', labels: ['b'] },
      ],
      grouped: ['a'],
    })
  })
})
