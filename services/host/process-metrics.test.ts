import { expect } from 'chai'
import { pino } from 'pino'
import { FeedLag } from '#packages/events/store/feed-lag.ts'
import { Readiness } from '#packages/foundation/readiness/readiness.ts'
import type { Counter, Gauge } from '#packages/telemetry/metrics.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { madeForEach } from '#test/doubles/opened.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { observeProcess } from './process-metrics.ts'

describe('the metrics of a process', () => {
  const clock = new ManualClock()
  const log = pino({ level: 'silent' })
  const telemetry = madeForEach(() => new RecordingTelemetry())

  const valuesOf = (metric: Gauge | Counter) =>
    [...(telemetry.gauges.get(metric.name)?.() ?? [])].map(({ value, attributes }) => [
      ...Object.values(attributes ?? {}),
      value,
    ])
  const nothing = () => ({
    isEmbedded: true,
    lags: new Map(),
    readiness: new Readiness({ clock, log }, []),
    disk: { observe: () => undefined },
    log,
    pools: new Map(),
  })

  it('include its event loop, memory, processor time and components', () => {
    using _observed = observeProcess(telemetry, nothing())
    expect(valuesOf(metrics.loopDelay)[0]?.[0]).to.be.within(0, 10)
    expect(valuesOf(metrics.loopUtilization)[0]?.[0]).to.be.within(0, 1)
    expect(valuesOf(metrics.memory)[0]?.[0]).to.be.within(10e6, 4e9)
    const [before] = valuesOf(metrics.cpu)[0] ?? []
    for (const until = performance.now() + 30; performance.now() < until; );
    expect(valuesOf(metrics.cpu)[0]?.[0]).to.be.greaterThan(before as number)
    expect(valuesOf(metrics.buildInfo)[0]).to.match(/^\d+\.\d+\.\d+.*,embedded,1$/)
  })

  it('include how far each follower is behind, also of followers added later', async () => {
    const lags = new Map([['orchestrator', new FeedLag(clock)]])
    using _observed = observeProcess(telemetry, { ...nothing(), lags })
    const [[name, seconds] = []] = valuesOf(metrics.feedLag)
    expect(name).to.equal('orchestrator')
    // It has never caught up.
    expect(seconds).to.be.within(0, process.uptime())
    const keys = new FeedLag(clock)
    lags.set('keys', keys)
    for (const lag of lags.values()) lag.note(true)
    keys.note(false)
    await clock.advance(2500)
    expect(valuesOf(metrics.feedLag)).to.deep.equal([
      ['orchestrator', 0],
      ['keys', 2.5],
    ])
  })

  it('include the last readiness check: an export checks nothing itself', async () => {
    let looks = 0
    const look = async () => (looks++ === 0 ? undefined : 'it is read only')
    const gone = { name: 'Kafka', look: () => Promise.reject(new Error('gone')) }
    const readiness = new Readiness({ clock, log }, [{ name: 'the event store', look }, gone])
    using _observed = observeProcess(telemetry, { ...nothing(), readiness })
    expect(valuesOf(metrics.dependencyUp)).to.deep.equal([])
    await settle()
    for (let i = 0; i < 3; i++)
      expect(valuesOf(metrics.dependencyUp)).to.deep.equal([
        ['the event store', 1],
        ['Kafka', 0],
      ])
    expect(looks).to.equal(1)
    await clock.advance(1000)
    await readiness.problems()
    expect(valuesOf(metrics.dependencyUp)[0]).to.deep.equal(['the event store', 0])
  })

  it('include the number of workers', () => {
    const pools = new Map([['yt-dlp', { pids: [1, 2] }]])
    using _observed = observeProcess(telemetry, { ...nothing(), pools })
    expect(valuesOf(metrics.workersInUse)).to.deep.equal([['yt-dlp', 2]])
  })
})
