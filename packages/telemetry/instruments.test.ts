import { expect } from 'chai'
import { Instruments } from './instruments.ts'
import { metrics } from './metrics.ts'
import { sdkMetrics } from './otel-packages.ts'
import { ScrapedMetrics } from './scraped-metrics.ts'
import type { Attributes } from './telemetry.ts'

const { cacheLookups, creditsMoved, queueDepth, requestDuration, viewsDuration, workersInUse } = metrics

describe('instruments', () => {
  let instruments: Instruments
  let scraped: ScrapedMetrics
  beforeEach(() => {
    scraped = new ScrapedMetrics()
    instruments = new Instruments(new sdkMetrics.MeterProvider({ readers: [scraped.reader] }).getMeter('tests'))
  })

  /** What is collected, by the metrics' names. */
  async function collected() {
    const { resourceMetrics, errors } = await scraped.reader.collect()
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

  it('add up the values of a counter by its attributes, in whatever order these are given, in all the time of the process', async () => {
    instruments.add(cacheLookups, 1, { 'video.cache': 'media', 'video.cache.hit': true })
    await scraped.reader.collect()
    instruments.add(cacheLookups, 2, { 'video.cache.hit': true, 'video.cache': 'media' })
    instruments.add(cacheLookups, 5, { 'video.cache': 'media', 'video.cache.hit': false })
    instruments.add(cacheLookups, 7, { 'video.cache': 'media' })
    instruments.add(cacheLookups, 0)
    expect(await pointsOf(cacheLookups)).to.deep.equal([
      [{ 'video.cache': 'media', 'video.cache.hit': true }, 3],
      [{ 'video.cache': 'media', 'video.cache.hit': false }, 5],
      [{ 'video.cache': 'media' }, 7],
      [{}, 0],
    ])
  })

  it('count the values of a histogram up to each bound, the bound included', async () => {
    for (const seconds of [0.001, 0.0011, 10, 11]) instruments.record(viewsDuration, seconds, { 'video.outcome': 'ok' })
    const counts = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    const buckets = { boundaries: viewsDuration.bounds, counts }
    expect(await pointsOf(viewsDuration)).to.deep.equal([
      [{ 'video.outcome': 'ok' }, { count: 4, sum: 21.0021, min: 0.001, max: 11, buckets }],
    ])
  })

  it('make no series of an attribute that the metric does not declare', async () => {
    for (const orgId of ['a', 'b'])
      instruments.add(creditsMoved, 1, { 'video.job.kind': 'extract', 'video.org.id': orgId })
    instruments.observe(workersInUse, () => [{ value: 3, attributes: { 'video.pool': 'speech', 'video.job.id': 'j' } }])
    expect(await pointsOf(creditsMoved)).to.deep.equal([[{ 'video.job.kind': 'extract' }, 2]])
    expect(await pointsOf(workersInUse)).to.deep.equal([[{ 'video.pool': 'speech' }, 3]])
  })

  it('put what is beyond two thousand series of a metric in one', async () => {
    for (let n = 0; n < 2100; n++)
      instruments.record(requestDuration, 1, { 'http.route': `/${n}`, 'http.request.method': 'GET' })
    instruments.record(requestDuration, 1, { 'http.route': '/7', 'http.request.method': 'GET' })
    const points = (await pointsOf(requestDuration)) as [Attributes, { count: number }][]
    expect(points).to.have.length(2000)
    expect(points[7]?.[1].count).to.equal(2)
    expect(points.at(-1)?.[0]).to.deep.equal({ 'otel.metric.overflow': true })
    expect(points.at(-1)?.[1].count).to.equal(101)
  })

  it('leave out what is below 0 or no number', async () => {
    instruments.record(viewsDuration, -0.001)
    instruments.record(viewsDuration, Number.NaN)
    instruments.add(cacheLookups, -1)
    expect((await collected()).names).to.deep.equal([])
  })

  it('read a gauge each time; one that cannot be read is an error, and costs no other', async () => {
    let depth = 4
    instruments.observe(queueDepth, () => [
      { value: depth, attributes: { 'video.step': 'fetch', 'video.lane': undefined } },
    ])
    instruments.observe(workersInUse, () => {
      throw new Error('gone')
    })
    expect(await pointsOf(queueDepth)).to.deep.equal([[{ 'video.step': 'fetch' }, 4]])
    depth = 0
    expect(await pointsOf(queueDepth)).to.deep.equal([[{ 'video.step': 'fetch' }, 0]])
    const { names, errors } = await collected()
    expect(names).to.deep.equal([queueDepth.name])
    expect(errors.map(String)).to.deep.equal(['Error: gone'])
  })

  it('export no series of a gauge that is not observed any more, however many there have been', async () => {
    let pool = 0
    instruments.observe(workersInUse, () => [{ value: 1, attributes: { 'video.pool': `pool ${pool}` } }])
    for (; pool < 2100; pool++) await collected()
    expect(await pointsOf(workersInUse)).to.deep.equal([[{ 'video.pool': 'pool 2100' }, 1]])
  })
})
