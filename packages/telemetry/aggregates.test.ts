import { expect } from 'chai'
import { Aggregates } from './aggregates.ts'
import { metrics } from './metrics.ts'
import type { Attributes } from './telemetry.ts'

const { cacheLookups, creditsMoved, queueDepth, requestDuration, viewsDuration, workersInUse } = metrics

describe('aggregates', () => {
  let aggregates: Aggregates
  beforeEach(() => {
    aggregates = new Aggregates()
  })

  /** The collected values, by the metrics' names. */
  async function collected() {
    const { resourceMetrics, errors } = await aggregates.collect()
    const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
    return {
      errors,
      names: all.map(({ descriptor }) => descriptor.name),
      of: new Map(all.map((each) => [each.descriptor.name, each])),
    }
  }

  async function pointsOf(metric: { name: string }): Promise<[Attributes, unknown][]> {
    const { of } = await collected()
    return (of.get(metric.name)?.dataPoints ?? []).map(({ attributes, value }) => [attributes as Attributes, value])
  }

  it('add up the values of a counter by its attributes, in any order, since the process began', async () => {
    aggregates.add(cacheLookups, 1, { 'video.cache': 'media', 'video.cache.hit': true })
    await aggregates.collect()
    aggregates.add(cacheLookups, 2, { 'video.cache.hit': true, 'video.cache': 'media' })
    aggregates.add(cacheLookups, 5, { 'video.cache': 'media', 'video.cache.hit': false })
    aggregates.add(cacheLookups, 7, { 'video.cache': 'media' })
    aggregates.add(cacheLookups, 0)
    expect(await pointsOf(cacheLookups)).to.deep.equal([
      [{ 'video.cache': 'media', 'video.cache.hit': true }, 3],
      [{ 'video.cache': 'media', 'video.cache.hit': false }, 5],
      [{ 'video.cache': 'media' }, 7],
      [{}, 0],
    ])
    const point = (await collected()).of.get(cacheLookups.name)?.dataPoints[0]
    expect(point?.startTime[0]).to.equal(Math.floor(performance.timeOrigin / 1000))
    expect((point?.endTime[0] ?? 0) - Date.now() / 1000).to.be.within(-60, 1)
  })

  it('count the values of a histogram up to each bound, the bound included', async () => {
    for (const seconds of [0.001, 0.0011, 10, 11]) aggregates.record(viewsDuration, seconds, { 'video.outcome': 'ok' })
    const counts = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    const buckets = { boundaries: viewsDuration.bounds, counts }
    expect(await pointsOf(viewsDuration)).to.deep.equal([
      [{ 'video.outcome': 'ok' }, { count: 4, sum: 21.0021, min: 0.001, max: 11, buckets }],
    ])
  })

  it('create no series for an attribute that the metric does not declare', async () => {
    for (const orgId of ['a', 'b'])
      aggregates.add(creditsMoved, 1, { 'video.job.kind': 'extract', 'video.org.id': orgId })
    aggregates.observe(workersInUse, () => [{ value: 3, attributes: { 'video.pool': 'speech', 'video.job.id': 'j' } }])
    expect(await pointsOf(creditsMoved)).to.deep.equal([[{ 'video.job.kind': 'extract' }, 2]])
    expect(await pointsOf(workersInUse)).to.deep.equal([[{ 'video.pool': 'speech' }, 3]])
  })

  it('combine all series of a metric beyond two thousand in one', async () => {
    for (let n = 0; n < 2100; n++)
      aggregates.record(requestDuration, 1, { 'http.route': `/${n}`, 'http.request.method': 'GET' })
    aggregates.record(requestDuration, 1, { 'http.route': '/7', 'http.request.method': 'GET' })
    const points = (await pointsOf(requestDuration)) as [Attributes, { count: number }][]
    expect(points).to.have.length(2001)
    expect(points[7]?.[1].count).to.equal(2)
    expect(points.at(-1)?.[0]).to.deep.equal({ 'otel.metric.overflow': true })
    expect(points.at(-1)?.[1].count).to.equal(100)
  })

  it('leave out what is below 0 or not a number', async () => {
    aggregates.record(viewsDuration, -0.001)
    aggregates.record(viewsDuration, Number.NaN)
    aggregates.add(cacheLookups, -1)
    expect((await collected()).names).to.deep.equal([])
  })

  it('read a gauge each time; a failing gauge is an error, and does not affect the others', async () => {
    let depth = 4
    aggregates.observe(queueDepth, () => [
      { value: depth, attributes: { 'video.step': 'fetch', 'video.lane': undefined } },
    ])
    aggregates.observe(workersInUse, () => {
      throw new Error('gone')
    })
    expect(await pointsOf(queueDepth)).to.deep.equal([[{ 'video.step': 'fetch' }, 4]])
    depth = 0
    expect(await pointsOf(queueDepth)).to.deep.equal([[{ 'video.step': 'fetch' }, 0]])
    const { names, errors } = await collected()
    expect(names).to.deep.equal([queueDepth.name])
    expect(errors.map(String)).to.deep.equal(['Error: gone'])
  })
})
